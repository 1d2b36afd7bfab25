/** What a column is, how rows are ordered, and how they leave as CSV. */
import type { ReactNode } from "react";

export type Cell = string | number | null | undefined;

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** What the column sorts by and exports; a column without it does neither. */
  value?: (row: Row) => Cell;
  align?: "right";
  width?: string;
}

/** `name` sorts upwards, `-name` downwards, the empty text not at all. */
export type Sort = string;

export function sortNext(sort: Sort, id: string): Sort {
  if (sort === id) return `-${id}`;
  return sort === `-${id}` ? "" : id;
}

const isUnknown = (value: Cell): value is null | undefined => value === null || value === undefined;

function compare(one: Cell, other: Cell): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), "en", { numeric: true });
}

/** Returns the rows in order; what is unknown comes last, whichever way the order goes. */
export function rowsSorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: Sort): Row[] {
  const down = sort.startsWith("-");
  const value = columns.find((column) => column.id === sort.replace(/^-/, ""))?.value;
  if (!value) return [...rows];
  return rows.toSorted((one, other) => {
    const [left, right] = [value(one), value(other)];
    if (isUnknown(left) || isUnknown(right)) return Number(isUnknown(left)) - Number(isUnknown(right));
    return down ? compare(right, left) : compare(left, right);
  });
}

/** A cell that a spreadsheet would take for a formula is prefixed, so that it stays text. */
function csvCell(value: Cell): string {
  if (isUnknown(value)) return "";
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The rows as CSV with a header line; unknown is an empty cell. */
export function csv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const exported = columns.filter((column) => column.value);
  const lines = [exported.map((column) => csvCell(column.header)).join(",")];
  for (const row of rows) {
    lines.push(exported.map((column) => csvCell(column.value?.(row))).join(","));
  }
  return `${lines.join("\r\n")}\r\n`;
}
