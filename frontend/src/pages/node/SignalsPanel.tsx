import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { signalsQuery } from "@/api/queries";
import type { Grade, NodeDetail, SignalLine, Signals } from "@/api/types";
import { View } from "@/app/View";
import { Chart } from "@/charts/Chart";
import type { ChartModel } from "@/charts/model";
import { unitText, words } from "@/format/numbers";
import { zone } from "@/format/times";
import { Panel } from "@/ui/Panel";
import { Empty } from "@/ui/States";
import { Tag } from "@/ui/Tag";

import styles from "./node.module.css";

const WINDOWS = [
  [600, "10 min"],
  [1800, "30 min"],
  [7200, "2 h"],
] as const;

const CHART_HEIGHT_PX = 104;
/** The last chart of the stack carries the time axis. */
const AXIS_HEIGHT_PX = 22;

const secondsOf = (at: string): number => new Date(at).getTime() / 1000;

const GRADED: readonly Exclude<Grade, "unknown" | "low">[] = ["medium", "high", "critical"];

/** Where the signal's grades begin, as labelled lines. */
const thresholdsOf = ({ thresholds }: SignalLine) =>
  GRADED.flatMap((grade) => {
    const value = thresholds?.[grade] ?? null;
    return value === null ? [] : [{ grade, value, label: grade }];
  });

function modelOf(series: SignalLine, reach: readonly [number, number]): ChartModel {
  return {
    x: series.points.map((point) => secondsOf(point.at)),
    axis: "time",
    series: [
      {
        label: unitText(series.unit) || "value",
        unit: unitText(series.unit),
        values: series.points.map((point) => point.value),
        look: "main",
      },
    ],
    thresholds: thresholdsOf(series),
    reach,
  };
}

export function SignalsPanel({ node }: { node: NodeDetail }) {
  const [windowS, setWindowS] = useState<number>(WINDOWS[0][0]);
  const query = useQuery({ ...signalsQuery(node.id, windowS), refetchInterval: 5_000 });
  return (
    <Panel
      title="Signals"
      aside={
        <>
          <span>times in {zone()}</span>
          <select aria-label="Window" className={styles.select} value={windowS} onChange={(event) => setWindowS(Number(event.currentTarget.value))}>
            {WINDOWS.map(([seconds, label]) => (
              <option key={seconds} value={seconds}>
                {label}
              </option>
            ))}
          </select>
        </>
      }
    >
      <View what="The signals" query={query}>
        {(signals) => <Stack node={node.id} signals={signals} />}
      </View>
    </Panel>
  );
}

function Stack({ node, signals }: { node: string; signals: Signals }) {
  const models = useMemo(() => {
    const reach = [secondsOf(signals.start), secondsOf(signals.end)] as const;
    return signals.signals.map((series) => ({ series, model: modelOf(series, reach) }));
  }, [signals]);
  if (models.length === 0) {
    return <Empty title="No signal in this window">Choose a longer one, or see whether the agent is running.</Empty>;
  }
  return (
    <div className={styles.charts}>
      {models.map(({ series, model }, index) => {
        const last = index === models.length - 1;
        return (
          <div key={series.name} className={styles.chart}>
            <div className={styles.name}>
              <span className="strong">{words(series.name)}</span>
              <span className="dim small">{unitText(series.unit)}</span>
              {series.source === "simulated" ? <Tag tone="hatched">simulated</Tag> : null}
            </div>
            <Chart
              model={model}
              label={`${words(series.name)} over time`}
              height={CHART_HEIGHT_PX + (last ? AXIS_HEIGHT_PX : 0)}
              shared={`node ${node}`}
              quietX={!last}
            />
          </div>
        );
      })}
    </div>
  );
}
