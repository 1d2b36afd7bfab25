/** Fewer points, honestly: the least and the most of each stretch stay, and so do gaps. */
import type { Value } from "./model";

/** The most points that a chart draws for one series. */
export const POINTS_DRAWN_MAX = 2000;

/** Least, most and first gap: what is kept of a stretch per series. */
const KEPT_PER_STRETCH = 3;

function keepOf(values: readonly Value[], start: number, end: number, kept: Set<number>): void {
  let least = -1;
  let most = -1;
  let gap = -1;
  for (let index = start; index < end; index += 1) {
    const value = values[index];
    if (value === null || value === undefined) {
      if (gap < 0) gap = index;
      continue;
    }
    if (least < 0 || value < (values[least] as number)) least = index;
    if (most < 0 || value > (values[most] as number)) most = index;
  }
  for (const index of [least, most, gap]) if (index >= 0) kept.add(index);
}

/** Which points to draw, in order; all of them where there are few enough. */
export function pointsKept(
  length: number,
  series: readonly (readonly Value[])[],
  limit: number = POINTS_DRAWN_MAX,
): number[] {
  if (length <= limit) return Array.from({ length }, (_, index) => index);
  const stretches = Math.max(1, Math.floor((limit - 2) / (KEPT_PER_STRETCH * Math.max(1, series.length))));
  const kept = new Set<number>([0, length - 1]);
  for (let stretch = 0; stretch < stretches; stretch += 1) {
    const start = Math.floor((stretch * length) / stretches);
    const end = Math.floor(((stretch + 1) * length) / stretches);
    for (const values of series) keepOf(values, start, end, kept);
  }
  return [...kept].toSorted((one, other) => one - other);
}
