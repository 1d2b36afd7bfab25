import { describe, expect, test } from "vitest";

import { bytes, count, duration, measure, percent, words, wordsWithin } from "@/format/numbers";

describe("a measured value", () => {
  test.each([
    [2.3149, "2.31"],
    [0.000123456, "0.000123"],
    [41, "41"],
    [1240.4, "1,240"],
    [-3.5, "-3.50"],
    [0, "0"],
  ])("%d is written %s", (value, text) => expect(measure(value)).toBe(text));
});

test("a counted thing is never rounded", () => expect(count(1_234_567)).toBe("1,234,567"));

describe("a duration takes the unit that reads best", () => {
  test.each([
    [0.0413, "41.3 ms"],
    [0.42, "420 ms"],
    [1.5, "1.50 s"],
    [600, "10 min"],
    [9000, "2.50 h"],
    [259_200, "3 d"],
  ])("%d s is %s", (seconds, text) => {
    const { digits, unit } = duration(seconds);
    expect(`${digits} ${unit}`).toBe(text);
  });
});

test("sizes are decimal, and grow past the last unit", () => {
  expect(bytes(999)).toEqual({ digits: "999", unit: "B" });
  expect(bytes(1.86e9)).toEqual({ digits: "1.86", unit: "GB" });
  expect(bytes(5e15)).toEqual({ digits: "5,000", unit: "TB" });
});

test("a share is shown as per cent", () => expect(percent(0.9962)).toEqual({ digits: "99.6", unit: "%" }));

test("codes become words, and names keep their capitals", () => {
  expect(words("awaiting_approval")).toBe("Awaiting approval");
  expect(words("ecc_dram_corrected")).toBe("ECC DRAM corrected");
  expect(wordsWithin("pcie_replay")).toBe("PCIe replay");
  expect(wordsWithin("swap.approve")).toBe("swap approve");
});
