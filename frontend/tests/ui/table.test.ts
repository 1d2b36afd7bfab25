import { describe, expect, test } from "vitest";

import type { Column } from "@/ui/table";
import { csv, rowsSorted, sortNext } from "@/ui/table";

interface Row {
  name: string;
  lag: number | null;
}

const COLUMNS: readonly Column<Row>[] = [
  { id: "name", header: "Name", cell: (row) => row.name, value: (row) => row.name },
  { id: "lag", header: "Lag, steps", cell: (row) => row.lag, value: (row) => row.lag },
  { id: "button", header: "Act", cell: () => "go" },
];

const ROWS: readonly Row[] = [
  { name: "n10", lag: 4 },
  { name: "n2", lag: null },
  { name: "n1", lag: 11 },
];

const names = (sort: string) => rowsSorted(ROWS, COLUMNS, sort).map(({ name }) => name);

describe("order", () => {
  test("numbers within names count as numbers", () => expect(names("name")).toEqual(["n1", "n2", "n10"]));
  test("what is unknown comes last either way", () => {
    expect(names("lag")).toEqual(["n10", "n1", "n2"]);
    expect(names("-lag")).toEqual(["n1", "n10", "n2"]);
  });
  test("no order, or one by an unknown column, keeps that of the server", () => {
    expect(names("")).toEqual(["n10", "n2", "n1"]);
    expect(names("colour")).toEqual(["n10", "n2", "n1"]);
  });
  test("a header goes up, down, and back to none", () => {
    expect(sortNext("", "lag")).toBe("lag");
    expect(sortNext("lag", "lag")).toBe("-lag");
    expect(sortNext("-lag", "lag")).toBe("");
    expect(sortNext("name", "lag")).toBe("lag");
  });
});

describe("CSV", () => {
  test("quotes what has to be, leaves unknown empty, and leaves out columns without a value", () => {
    expect(csv(ROWS.slice(1), COLUMNS)).toBe('Name,"Lag, steps"\r\nn2,\r\nn1,11\r\n');
  });
  test("a spreadsheet takes no cell for a formula", () => {
    expect(csv([{ name: '=HYPERLINK("x")', lag: -3 }], COLUMNS)).toContain(`"'=HYPERLINK(""x"")",-3`);
  });
});
