import { describe, expect, test } from "vitest";

import type { LossPoint, Swap } from "@/api/types";
import { watchOf } from "@/pages/swap/watch";

const swap = {
  band: { series: "validation_loss", center: 3, half_width: 0.2, rule: "", points: 20 },
  watch_from_step: 100,
  watch_steps: 10,
} as Swap;

const at = (step: number, validation_loss: number | null, loss = 9): LossPoint => ({ epoch: 2, step, loss, validation_loss, step_s: null });

describe("the watch", () => {
  test("counts the steps and the validations since the switch", () => {
    const seen = watchOf(swap, [at(100, 99), at(101, null), at(105, 3.19), at(110, 3.3), at(115, 99)]);
    expect(seen).toEqual({ stepsDone: 10, stepsWanted: 10, points: 2, inside: 1, latest: 3.3 });
  });
  test("has seen nothing right after the switch: no validation is not a good one", () => {
    expect(watchOf(swap, [at(101, null)])).toEqual({ stepsDone: 1, stepsWanted: 10, points: 0, inside: 0, latest: null });
  });
  test("looks at the train loss of a job that validates nothing", () => {
    const trained = { ...swap, band: { ...swap.band, series: "loss" } } as Swap;
    expect(watchOf(trained, [at(101, null, 3.1)])?.inside).toBe(1);
  });
  test("is none before the switch and without a band", () => {
    expect(watchOf({ ...swap, watch_from_step: null }, [])).toBeNull();
    expect(watchOf({ ...swap, band: null }, [])).toBeNull();
  });
});
