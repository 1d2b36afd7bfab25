/** From a chart's model to uPlot's options and data. */
import type uPlot from "uplot";

import { count, measure } from "@/format/numbers";
import { clock } from "@/format/times";

import { pointsKept } from "./downsample";
import type { ChartModel, Series } from "./model";
import { colour, paintAbove, paintBelow } from "./paint";

const AXIS_FONT = "500 11px Inter, sans-serif";
const Y_AXIS_PX = 54;
const X_AXIS_PX = 30;

/** Time axes count in seconds, as uPlot does. */
export function dataOf(model: ChartModel): uPlot.AlignedData {
  const kept = pointsKept(model.x.length, model.series.map((series) => series.values));
  const x = kept.map((index) => model.x[index] as number);
  const columns = model.series.map((series) => kept.map((index) => series.values[index] ?? null));
  return [x, ...columns];
}

/** More dots than this run into each other. */
const POINTS_DOTTED_MAX = 60;

const countKnown = (values: ArrayLike<number | null | undefined> | undefined): number =>
  Array.from(values ?? []).filter((value) => value !== null && value !== undefined).length;

const STROKES: Readonly<Record<Series["look"], string>> = {
  main: "accent",
  plain: "ink-3",
  faint: "line-strong",
};

function latest(values: ArrayLike<number | null | undefined> | undefined): number | null {
  return Array.from(values ?? []).findLast((value) => value !== null && value !== undefined) ?? null;
}

function seriesOptions(series: Series): uPlot.Series {
  const name = STROKES[series.look];
  return {
    label: series.label,
    stroke: () => colour(name),
    width: series.look === "main" ? 1.75 : 1.25,
    spanGaps: series.sparse ?? false,
    points: {
      // each validation is a dot, as long as dots can be told apart
      show: (plot, index) => series.sparse === true && countKnown(plot.data[index]) <= POINTS_DOTTED_MAX,
      size: 5,
      fill: () => colour(name),
    },
    // away from the cursor the legend tells the latest value
    value: (plot, value: number | null, index) => {
      const shown = value ?? (plot.cursor.idx === null || plot.cursor.idx === undefined ? latest(plot.data[index]) : null);
      return shown === null ? "—" : measure(shown);
    },
  };
}

/** Free space above and below the values, as a share of their range. */
const ROOM_SHARE = 0.12;

/** The vertical range holds the data, the thresholds near it, and the corridor. */
function yRange(model: ChartModel): uPlot.Range.Function {
  return (_plot, low, high) => {
    const marks = [
      ...(model.thresholds ?? []).map((line) => line.value),
      ...(model.corridor ? [model.corridor.low, model.corridor.high] : []),
    ];
    const values = [low, high, ...marks].filter((value): value is number => value !== null);
    if (values.length === 0) return [0, 1];
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const room = (most - least || Math.abs(most) || 1) * ROOM_SHARE;
    // a threshold's words stand above its line
    const above = marks.length > 0 ? room * 2.5 : room;
    return [least >= 0 && least - room < 0 ? 0 : least - room, most + above];
  };
}

function xRange(model: ChartModel): uPlot.Range.Function {
  return (plot, low, high) => {
    // read each time: the model behind one canvas grows while the job runs
    const first = model.x[0] ?? 0;
    const last = model.x.at(-1) ?? 1;
    const [from, to] = model.reach ?? [first, last];
    const whole = [Math.min(first, from), Math.max(last, to)] as const;
    const zoomed = low !== null && high !== null && plot.data[0].length > 0 && (low > first || high < last);
    return zoomed ? [low, high] : [whole[0], Math.max(whole[1], whole[0] + 1)];
  };
}

const STEP_INCREMENTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000];

/** Whole minutes and hours: the axis says no seconds. */
const TIME_INCREMENTS_S = [60, 120, 300, 600, 900, 1800, 3600, 7200];

const axis = (): uPlot.Axis => ({
  stroke: () => colour("ink-3"),
  font: AXIS_FONT,
  grid: { stroke: () => colour("line"), width: 1 },
  ticks: { show: false },
});

/** Ticks with as many decimals as their distance asks for, all alike. */
export function ticksText(splits: readonly number[]): string[] {
  const apart = Math.abs((splits[1] ?? 0) - (splits[0] ?? 0));
  const decimals = apart > 0 ? Math.min(6, Math.max(0, -Math.floor(Math.log10(apart) + 1e-9))) : 0;
  const shown = new Intl.NumberFormat("en-GB", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return splits.map((value) => shown.format(value));
}

function axes(model: ChartModel, quietX: boolean): uPlot.Axis[] {
  const below: uPlot.Axis = { ...axis(), size: quietX ? 8 : X_AXIS_PX, gap: 6, grid: { show: false } };
  if (model.axis === "step") below.values = (_plot, splits) => splits.map((step) => count(step));
  else below.values = (_plot, splits) => splits.map((at) => clock(at * 1000).slice(0, 5));
  if (quietX) below.values = (_plot, splits) => splits.map(() => "");
  below.incrs = model.axis === "step" ? STEP_INCREMENTS : TIME_INCREMENTS_S;
  below.space = 64;
  return [
    below,
    { ...axis(), size: Y_AXIS_PX, values: (_plot, splits) => ticksText(splits), space: 28 },
  ];
}

const xLabel = (model: ChartModel, value: number | null): string => {
  if (value === null) return "latest";
  return model.axis === "step" ? count(value) : clock(value * 1000);
};

/** The legend is HTML: a variable there follows the theme by itself. */
const legendColour = (model: ChartModel, index: number): string => {
  const series = model.series[index - 1];
  return series ? `var(--${STROKES[series.look]})` : "transparent";
};

export interface PlotSize {
  width: number;
  height: number;
}

/** `shared` names the cursor that stacked charts have in common. */
export function optionsOf(model: ChartModel, size: PlotSize, shared?: string, quietX = false): uPlot.Options {
  return {
    ...size,
    cursor: {
      points: { size: 7 },
      drag: { x: true, y: false, setScale: true },
      ...(shared ? { sync: { key: shared } } : {}),
    },
    scales: {
      x: { time: false, range: xRange(model) },
      y: { range: yRange(model) },
    },
    axes: axes(model, quietX),
    series: [
      { label: model.axis === "step" ? "Step" : "Time", value: (_plot, value: number | null) => xLabel(model, value) },
      ...model.series.map(seriesOptions),
    ],
    legend: { markers: { width: 0, fill: (_plot, index) => legendColour(model, index) } },
    hooks: {
      drawClear: [(plot) => paintBelow(plot, model)],
      draw: [(plot) => paintAbove(plot, model)],
    },
  };
}
