/** Loss over committed steps. A point is known by (epoch, step), never by its step alone. */
import type { LossPoint, Swap, SwapSummary } from "@/api/types";

import type { ChartModel, Corridor, Mark, Series, Span, Value } from "./model";

interface Row {
  step: number;
  point: LossPoint | null;
  /** What an earlier epoch had at the same step. */
  earlier: LossPoint | null;
}

const byKey = (one: LossPoint, other: LossPoint): number => one.epoch - other.epoch || one.step - other.step;

/** One row per step; where epochs overlap, the latest leads and the earlier stays visible. */
function rowsOf(points: readonly LossPoint[]): Row[] {
  const rows = new Map<number, Row>();
  for (const point of points.toSorted(byKey)) {
    const before = rows.get(point.step)?.point ?? null;
    rows.set(point.step, { step: point.step, point, earlier: before });
  }
  return withGaps([...rows.values()].toSorted((one, other) => one.step - other.step));
}

/** Steps that no report told of are a gap in the line, not a straight one across. */
function withGaps(rows: readonly Row[]): Row[] {
  const whole: Row[] = [];
  for (const row of rows) {
    const before = whole.at(-1);
    if (before && row.step > before.step + 1) {
      whole.push({ step: before.step + 1, point: null, earlier: null });
    }
    whole.push(row);
  }
  return whole;
}

/** Alternate epochs are shaded, so that each switch is an edge. */
export function epochSpans(points: readonly LossPoint[]): Span[] {
  const spans = new Map<number, Span>();
  for (const { epoch, step } of points) {
    const span = spans.get(epoch);
    if (!span) spans.set(epoch, { from: step, to: step, label: `epoch ${epoch}`, look: "epoch" });
    else {
      span.from = Math.min(span.from, step);
      span.to = Math.max(span.to, step);
    }
  }
  return [...spans.values()];
}

function seriesOf(rows: readonly Row[]): Series[] {
  const pick = (take: (row: Row) => Value | undefined): Value[] => rows.map((row) => take(row) ?? null);
  const series: Series[] = [
    { label: "Train loss", unit: "", values: pick((row) => row.point?.loss), look: "plain" },
    {
      label: "Validation loss",
      unit: "",
      values: pick((row) => row.point?.validation_loss),
      look: "main",
      sparse: true,
    },
  ];
  if (rows.some((row) => row.earlier)) {
    const values = pick((row) => row.earlier?.loss);
    series.push({ label: "Earlier epoch", unit: "", values, look: "faint" });
  }
  return series;
}

const nodeName = (node: { name: string } | null): string => node?.name ?? "?";

/** Where ranks changed hands, for the swaps that came to it. */
export function swapMarks(swaps: readonly (SwapSummary & { watch_from_step?: number | null })[]): Mark[] {
  return swaps.flatMap((swap) =>
    swap.watch_from_step === null || swap.watch_from_step === undefined
      ? []
      : [
          {
            at: swap.watch_from_step,
            label: `rank ${swap.rank}: ${nodeName(swap.source_node)} → ${nodeName(swap.target_node)}`,
          },
        ],
  );
}

export function lossChart(points: readonly LossPoint[], marks: Mark[] = []): ChartModel {
  const rows = rowsOf(points);
  return {
    x: rows.map((row) => row.step),
    axis: "step",
    series: seriesOf(rows),
    spans: epochSpans(points),
    marks,
  };
}

/** Steps shown before the switch, so that one sees where the loss came from. */
const STEPS_BEFORE = 60;

function corridorOf(swap: Swap, latest: number): Corridor | null {
  if (!swap.band) return null;
  const from = swap.watch_from_step ?? latest;
  return {
    from,
    to: from + (swap.watch_steps ?? 0),
    low: swap.band.center - swap.band.half_width,
    high: swap.band.center + swap.band.half_width,
    label: "band registered beforehand",
  };
}

/** Loss through one swap, with the band that was registered before it began. */
export function swapChart(points: readonly LossPoint[], swap: Swap): ChartModel {
  const latest = points.reduce((most, point) => Math.max(most, point.step), 0);
  const corridor = corridorOf(swap, latest);
  const middle = swap.watch_from_step ?? latest;
  const until = middle + Math.max(swap.watch_steps ?? 0, 1) * 2;
  const near = points.filter(({ step }) => step >= middle - STEPS_BEFORE && step <= until);
  const model = lossChart(near, swapMarks([swap]));
  return corridor
    ? { ...model, corridor, reach: [middle - STEPS_BEFORE, corridor.to] }
    : model;
}
