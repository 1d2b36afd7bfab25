/** What a chart draws, as plain values. */
import type { Grade } from "@/api/types";

export type Value = number | null;

export interface Series {
  label: string;
  unit: string;
  values: Value[];
  look: "main" | "plain" | "faint";
  /** Values come only now and then: what lies between two of them is no gap. */
  sparse?: boolean;
}

/** A labelled horizontal line. */
export interface Threshold {
  value: number;
  label: string;
  grade: Grade;
}

/** A stretch of the axis below, shaded over the whole height. */
export interface Span {
  from: number;
  to: number;
  label: string;
  look: "epoch" | "action";
}

/** A vertical line where something happened. */
export interface Mark {
  at: number;
  label: string;
}

/** A region that values are to stay in. */
export interface Corridor {
  from: number;
  to: number;
  low: number;
  high: number;
  label: string;
}

export interface ChartModel {
  x: number[];
  axis: "step" | "time";
  series: Series[];
  thresholds?: Threshold[];
  spans?: Span[];
  marks?: Mark[];
  corridor?: Corridor | null;
  /** Shows at least this stretch, though there be no points yet. */
  reach?: readonly [number, number];
}
