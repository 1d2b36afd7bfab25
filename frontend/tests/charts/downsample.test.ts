import { describe, expect, test } from "vitest";

import { pointsKept } from "@/charts/downsample";
import type { Value } from "@/charts/model";

const LENGTH = 50_000;

describe("down-sampling", () => {
  test("keeps every point where there are few", () => {
    expect(pointsKept(5, [[1, 2, 3, 4, 5]], 10)).toEqual([0, 1, 2, 3, 4]);
  });

  test("never draws more than the limit, whatever the number of series", () => {
    const one = Array.from({ length: LENGTH }, (_, index) => Math.sin(index / 50));
    for (const count of [1, 2, 5]) {
      const kept = pointsKept(LENGTH, Array.from({ length: count }, () => one), 2000);
      expect(kept.length).toBeLessThanOrEqual(2000);
      expect(kept.length).toBeGreaterThan(200);
    }
  });

  test("keeps the one highest and the one lowest value, and the ends", () => {
    const values: Value[] = Array.from({ length: LENGTH }, () => 1);
    values[31_007] = 99;
    values[40_003] = -99;
    const kept = new Set(pointsKept(LENGTH, [values], 500));
    expect([0, 31_007, 40_003, LENGTH - 1].every((index) => kept.has(index))).toBe(true);
  });

  test("keeps a gap of a single point", () => {
    const values: Value[] = Array.from({ length: LENGTH }, (_, index) => index);
    values[12_345] = null;
    expect(pointsKept(LENGTH, [values], 500)).toContain(12_345);
  });

  test("is in order and without repetition", () => {
    const kept = pointsKept(LENGTH, [Array.from({ length: LENGTH }, () => 3)], 300);
    expect(kept).toEqual([...new Set(kept)].toSorted((one, other) => one - other));
  });
});
