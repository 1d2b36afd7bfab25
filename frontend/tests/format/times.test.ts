import { expect, test } from "vitest";

import { exact, relative, span, stopwatch, zone } from "@/format/times";

const AT = "2026-03-01T12:00:00Z";
const NOW = new Date(AT).getTime();

test("times near are relative, in the largest whole unit", () => {
  expect(relative(AT, NOW + 400)).toBe("now");
  expect(relative(AT, NOW + 4_000)).toBe("4 s ago");
  expect(relative(AT, NOW + 150_000)).toBe("2 min ago");
  expect(relative(AT, NOW - 7_200_000)).toBe("in 2 h");
  expect(span(200_000)).toBe("2 d");
});

test("a running clock shows every second", () => {
  expect(stopwatch(42)).toBe("0:42");
  expect(stopwatch(725)).toBe("12:05");
  expect(stopwatch(3729)).toBe("1:02:09");
  expect(stopwatch(-1)).toBe("0:00");
});

test("the exact time says its zone", () => {
  expect(zone()).not.toBe("");
  expect(exact(AT)).toContain(zone());
  expect(exact(AT)).toContain("2026");
});
