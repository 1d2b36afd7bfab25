/** How validation loss keeps to its band, in numbers that can be said. */
import type { LossPoint, Swap } from "@/api/types";

export interface Watch {
  /** Committed steps since the switch, at most as many as are watched. */
  stepsDone: number;
  stepsWanted: number;
  /** Validations since the switch. */
  points: number;
  inside: number;
  /** The latest validation loss since the switch. */
  latest: number | null;
}

/** What was seen since the switch; null before it, and where no band was registered. */
export function watchOf(swap: Swap, points: readonly LossPoint[]): Watch | null {
  const { band, watch_from_step: from, watch_steps: wanted } = swap;
  if (!band || from === null || wanted === null) return null;
  const after = points.filter(({ step }) => step > from && step <= from + wanted);
  // a job that validates nothing is watched by its train loss
  const series = band.series === "loss" ? "loss" : "validation_loss";
  const values = after.map((point) => point[series]).filter((value): value is number => value !== null);
  const last = after.reduce((most, { step }) => Math.max(most, step), from);
  return {
    stepsDone: last - from,
    stepsWanted: wanted,
    points: values.length,
    inside: values.filter((value) => Math.abs(value - band.center) <= band.half_width).length,
    latest: values.at(-1) ?? null,
  };
}
