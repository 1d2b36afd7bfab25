/** The canvas itself; loaded only when a page shows a chart. */
import "uplot/dist/uPlot.min.css";

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
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
  const shape = shapeOf(model);
  const canvas = useMemo(() => ({ shape, height, shared, quietX }), [shape, height, shared, quietX]);
  // the painters read the newest model through this one, which stays the same object
  const [live] = useState<ChartModel>(() => ({ ...model }));

  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const size = () => ({ width: element.clientWidth, height: canvas.height });
    const made = new UPlot(optionsOf(live, size(), canvas.shared, canvas.quietX), dataOf(live), element);
    plot.current = made;
    const watcher = new ResizeObserver(() => made.setSize(size()));
    watcher.observe(element);
    const theme = new MutationObserver(() => made.redraw(false));
    theme.observe(document.documentElement, { attributeFilter: ["data-mantine-color-scheme"] });
    return () => {
      watcher.disconnect();
      theme.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [canvas, live]);

  useLayoutEffect(() => {
    Object.assign(live, { marks: [], spans: [], corridor: null }, model);
    const drawn = plot.current;
    if (!drawn) return;
    const before = drawn.data[0];
    const { min, max } = drawn.scales.x ?? {};
    const zoomed = min !== undefined && max !== undefined && isZoomed(before, min as number, max as number);
    // a model of another shape gets a canvas of its own, right after this
    if (drawn.series.length !== model.series.length + 1) return;
    drawn.setData(dataOf(model), !zoomed);
    if (zoomed) drawn.redraw();
  }, [model, live]);

  return <div ref={box} className={styles.plot} />;
}

function isZoomed(x: ArrayLike<number>, min: number, max: number): boolean {
  const first = x[0];
  const last = x[x.length - 1];
  return first !== undefined && last !== undefined && (min > first || max < last);
}
