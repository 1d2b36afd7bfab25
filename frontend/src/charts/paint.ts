/** What is painted under and over the lines: epochs, thresholds, marks, the corridor. */
import type uPlot from "uplot";

import type { ChartModel, Corridor, Mark, Span, Threshold } from "./model";

const LABEL_GAP_PX = 4;

/** Reads a colour of the current theme. */
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || "#888";

function clipped(plot: uPlot, draw: (context: CanvasRenderingContext2D) => void): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = `500 ${11 * devicePixelRatio}px Inter, sans-serif`;
  draw(ctx);
  ctx.restore();
}

const xOf = (plot: uPlot, value: number): number => plot.valToPos(value, "x", true);
const yOf = (plot: uPlot, value: number): number => plot.valToPos(value, "y", true);

function paintSpans(plot: uPlot, context: CanvasRenderingContext2D, spans: readonly Span[]): void {
  const { top, height } = plot.bbox;
  spans.forEach((span, index) => {
    if (span.look === "epoch" && index % 2 === 0) return;
    const left = xOf(plot, span.from);
    const right = xOf(plot, span.to);
    context.fillStyle = colour(span.look === "epoch" ? "sunken" : "accent-soft");
    context.fillRect(left, top, right - left, height);
  });
}

function paintCorridor(plot: uPlot, context: CanvasRenderingContext2D, band: Corridor): void {
  const left = xOf(plot, band.from);
  const right = xOf(plot, band.to);
  const [high, low] = [yOf(plot, band.high), yOf(plot, band.low)];
  context.globalAlpha = 0.16;
  context.fillStyle = colour("accent");
  context.fillRect(left, high, right - left, low - high);
  context.globalAlpha = 1;
  context.strokeStyle = colour("accent");
  context.lineWidth = devicePixelRatio;
  context.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  context.strokeRect(left, high, right - left, low - high);
  context.setLineDash([]);
}

/** Under the lines. */
export const paintBelow = (plot: uPlot, model: ChartModel): void =>
  clipped(plot, (context) => {
    paintSpans(plot, context, model.spans ?? []);
    if (model.corridor) paintCorridor(plot, context, model.corridor);
  });

function paintThresholds(plot: uPlot, context: CanvasRenderingContext2D, lines: readonly Threshold[]): void {
  const { left, width } = plot.bbox;
  context.textAlign = "left";
  context.textBaseline = "bottom";
  for (const line of lines) {
    const y = yOf(plot, line.value);
    context.strokeStyle = colour(`grade-${line.grade}`);
    context.lineWidth = devicePixelRatio;
    context.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(left + width, y);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = colour("ink-2");
    context.fillText(line.label, left + LABEL_GAP_PX, y - 2);
  }
}

function paintMarks(plot: uPlot, context: CanvasRenderingContext2D, marks: readonly Mark[]): void {
  const { top, height, left, width } = plot.bbox;
  context.textBaseline = "top";
  for (const mark of marks) {
    const x = Math.round(xOf(plot, mark.at));
    context.strokeStyle = colour("ink-2");
    context.lineWidth = devicePixelRatio;
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, top + height);
    context.stroke();
    // a label near the right edge is written to the left of its line
    const late = x > left + width * 0.75;
    context.textAlign = late ? "right" : "left";
    context.fillStyle = colour("ink-2");
    const gap = LABEL_GAP_PX * devicePixelRatio;
    context.fillText(mark.label, late ? x - gap : x + gap, top + gap);
  }
}

/** Over the lines. */
export const paintAbove = (plot: uPlot, model: ChartModel): void =>
  clipped(plot, (context) => {
    paintThresholds(plot, context, model.thresholds ?? []);
    paintMarks(plot, context, model.marks ?? []);
  });
