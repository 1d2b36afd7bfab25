/** A chart with its words: what it shows for those who do not see the canvas. */
import { createElement, useEffect, useState } from "react";

import { measure } from "@/format/numbers";

import styles from "./chart.module.css";
import type { ChartModel, Series } from "./model";
import type PlotType from "./Plot";

type PlotComponent = typeof PlotType;

/** The canvas is loaded beside the page's first data, once. */
let loading: Promise<PlotComponent> | null = null;

/**
 * The canvas, or null until it is there. No Suspense: its retries give way to every other update,
 * and on a page that changes each second they can wait for long.
 */
function usePlot(): PlotComponent | null {
  const [plot, setPlot] = useState<PlotComponent | null>(null);
  useEffect(() => {
    let wanted = true;
    loading ??= import("./Plot").then((module) => module.default);
    loading.then(
      (component) => wanted && setPlot(() => component),
      // the next chart tries again; until then its words are there
      () => (loading = null),
    );
    return () => {
      wanted = false;
    };
  }, []);
  return plot;
}

/** Height of the legend above the canvas, kept free until it is drawn. */
const LEGEND_PX = 25;

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
  const plot = usePlot();
  if (model.x.length === 0) {
    return <div className={`${styles.none} hatched`} style={{ height }}>no values in this window</div>;
  }
  return (
    <figure className={styles.figure} aria-label={label}>
      {plot ? (
        createElement(plot, { model, height, shared, quietX })
      ) : (
        <div style={{ height: height + LEGEND_PX }} />
      )}
      <figcaption className="visually-hidden">{model.series.map(sentence).join(" ")}</figcaption>
    </figure>
  );
}
