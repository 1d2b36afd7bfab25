/** A chart with its words: what it shows for those who do not see the canvas. */
import { lazy, Suspense } from "react";

import { measure } from "@/format/numbers";

import styles from "./chart.module.css";
import type { ChartModel, Series } from "./model";

const Plot = lazy(() => import("./Plot"));

interface ChartProps {
  model: ChartModel;
  label: string;
  height?: number;
  shared?: string;
  quietX?: boolean;
}

function sentence(series: Series): string {
  const known = series.values.filter((value): value is number => value !== null);
  const last = known.at(-1);
  if (last === undefined) return `${series.label}: no value known.`;
  const unit = series.unit && series.unit !== series.label ? ` ${series.unit}` : "";
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return `${series.label}: latest ${measure(last)}${unit}, between ${measure(low)} and ${measure(high)}.`;
}

export function Chart({ model, label, height = 260, shared, quietX = false }: ChartProps) {
  if (model.x.length === 0) {
    return <div className={`${styles.none} hatched`} style={{ height }}>no values in this window</div>;
  }
  return (
    <figure className={styles.figure} aria-label={label}>
      <Suspense fallback={<div style={{ height: height + 24 }} />}>
        <Plot model={model} height={height} shared={shared} quietX={quietX} />
      </Suspense>
      <figcaption className="visually-hidden">{model.series.map(sentence).join(" ")}</figcaption>
    </figure>
  );
}
