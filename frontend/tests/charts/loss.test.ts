import { describe, expect, test } from "vitest";

import type { LossPoint, Swap } from "@/api/types";
import { epochSpans, lossChart, swapChart, swapMarks } from "@/charts/loss";
import { worldMake } from "@/fake/engine";
import { idOf } from "@/fake/random";

const point = (epoch: number, step: number, loss: number | null, validation_loss: number | null = null): LossPoint => ({
  epoch,
  step,
  loss,
  validation_loss,
  step_s: null,
});

describe("loss over committed steps", () => {
  test("a step that two epochs have is drawn for both: keyed by epoch and step", () => {
    const chart = lossChart([point(1, 1, 5), point(1, 2, 4), point(1, 6, 2), point(2, 2, 3.9), point(2, 7, 1)]);
    const [train, , earlier] = chart.series;
    expect(chart.x).toEqual([1, 2, 3, 6, 7]);
    expect(train?.values).toEqual([5, 3.9, null, 2, 1]);
    expect(earlier?.label).toBe("Earlier epoch");
    expect(earlier?.values[1]).toBe(4);
  });

  test("missing steps are a gap, not a line across", () => {
    const chart = lossChart([point(1, 1, 5), point(1, 9, 4)]);
    expect(chart.x).toEqual([1, 2, 9]);
    expect(chart.series[0]?.values).toEqual([5, null, 4]);
  });

  test("a loss that nobody knows stays unknown, and is no zero", () => {
    expect(lossChart([point(1, 1, null)]).series[0]?.values).toEqual([null]);
  });

  test("each epoch spans its own steps", () => {
    const spans = epochSpans([point(1, 1, 1), point(1, 4, 1), point(2, 5, 1)]);
    expect(spans.map(({ from, to, label }) => [from, to, label])).toEqual([
      [1, 4, "epoch 1"],
      [5, 5, "epoch 2"],
    ]);
  });
});

describe("loss through a swap", () => {
  const world = worldMake(Date.UTC(2026, 2, 1));
  const swap = world.swaps.get(idOf("swap", 3)) as Swap;
  const points = world.losses.get(swap.job.id) ?? [];

  test("the band begins where the rank changed hands and is as long as the watch", () => {
    const { corridor, marks } = swapChart(points, swap);
    expect(corridor?.from).toBe(1216);
    expect(corridor?.to).toBe(1246);
    expect(corridor?.high).toBeCloseTo((swap.band?.center ?? 0) + (swap.band?.half_width ?? 0));
    expect(marks).toEqual([{ at: 1216, label: "rank 0: n14 → n1" }]);
  });

  test("before the switch the band lies ahead of the latest step", () => {
    const planned = world.swaps.get(idOf("swap", 1)) as Swap;
    const { corridor, reach } = swapChart(points, planned);
    expect(corridor?.from).toBe(1240);
    expect(reach?.[1]).toBe(1270);
  });

  test("without a band there is none drawn", () => {
    expect(swapChart(points, { ...swap, band: null }).corridor).toBeUndefined();
  });

  test("a swap that never came to it leaves no mark", () => {
    expect(swapMarks([{ ...swap, watch_from_step: null }])).toEqual([]);
  });
});
