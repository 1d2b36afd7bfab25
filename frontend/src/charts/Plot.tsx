/** The canvas itself; loaded only when a page shows a chart. */
import "uplot/dist/uPlot.min.css";

import { useEffect, useRef } from "react";
import UPlot from "uplot";

import styles from "./chart.module.css";
import type { ChartModel } from "./model";
import { dataOf, optionsOf } from "./options";

interface PlotProps {
  model: ChartModel;
  height: number;
  /** The cursor shared with other charts. */
  shared?: string | undefined;
  /** Leaves the words of the axis below to the last of a stack. */
  quietX?: boolean;
}

/** Two models that differ in their points alone can share one canvas. */
const shapeOf = (model: ChartModel): string =>
  JSON.stringify([model.axis, model.series.map((series) => series.label), model.thresholds]);

export default function Plot({ model, height, shared, quietX = false }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  // the painters read the newest model through this one, which never changes
  const live = useRef<ChartModel>({ ...model });
  Object.assign(live.current, { marks: [], spans: [], corridor: null }, model);
  const shape = shapeOf(model);

  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const size = { width: element.clientWidth, height };
    const made = new UPlot(optionsOf(live.current, size, shared, quietX), dataOf(live.current), element);
    plot.current = made;
    const watcher = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    watcher.observe(element);
    const theme = new MutationObserver(() => made.redraw(false));
    theme.observe(document.documentElement, { attributeFilter: ["data-mantine-color-scheme"] });
    return () => {
      watcher.disconnect();
      theme.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape, height, shared, quietX]);

  useEffect(() => {
    const drawn = plot.current;
    if (!drawn) return;
    const before = drawn.data[0];
    const { min, max } = drawn.scales.x ?? {};
    const zoomed = min !== undefined && max !== undefined && isZoomed(before, min as number, max as number);
    drawn.setData(dataOf(model), !zoomed);
    if (zoomed) drawn.redraw();
  }, [model]);

  return <div ref={box} className={styles.plot} />;
}

function isZoomed(x: ArrayLike<number>, min: number, max: number): boolean {
  const first = x[0];
  const last = x[x.length - 1];
  return first !== undefined && last !== undefined && (min > first || max < last);
}
