import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { lossQuery } from "@/api/queries";
import type { LossPoint, Swap } from "@/api/types";
import { View } from "@/app/View";
import { Chart } from "@/charts/Chart";
import { swapChart } from "@/charts/loss";
import { measure } from "@/format/numbers";
import { Panel } from "@/ui/Panel";
import { Empty } from "@/ui/States";
import { Tag } from "@/ui/Tag";

import styles from "./swap.module.css";
import { watchOf } from "./watch";

const CHART_HEIGHT_PX = 268;

export function WatchPanel({ swap }: { swap: Swap }) {
  const query = useQuery(lossQuery(swap.job.id));
  return (
    <Panel title="Validation loss through the swap" aside={query.data ? <Verdict swap={swap} points={query.data.points} /> : null}>
      <View what="The loss" query={query}>
        {({ points }) =>
          points.length === 0 ? (
            <Empty title="No step is committed yet">The curve begins with the job&apos;s first step.</Empty>
          ) : (
            <Drawn swap={swap} points={points} />
          )
        }
      </View>
    </Panel>
  );
}

interface PointsProps {
  swap: Swap;
  points: readonly LossPoint[];
}

function Verdict({ swap, points }: PointsProps) {
  const watch = watchOf(swap, points);
  if (!watch) return null;
  const outside = watch.points - watch.inside;
  return (
    <>
      <span>
        {watch.stepsDone} of {watch.stepsWanted} steps watched
      </span>
      {watch.points === 0 ? (
        <Tag tone="hatched">no validation yet</Tag>
      ) : outside > 0 ? (
        <Tag tone="loud" icon="warn">
          {outside} of {watch.points} outside the band
        </Tag>
      ) : (
        <Tag tone="quiet" icon="check">
          {watch.points} of {watch.points} inside the band
        </Tag>
      )}
    </>
  );
}

function Drawn({ swap, points }: PointsProps) {
  const model = useMemo(() => swapChart(points, swap), [points, swap]);
  return (
    <>
      <Chart model={model} label="Validation loss through the swap, with its band" height={CHART_HEIGHT_PX} />
      {swap.band ? (
        <p className={styles.rule}>
          Band registered before the swap begins: <b>{measure(swap.band.center)}</b> ± {measure(swap.band.half_width)}. {swap.band.rule}
        </p>
      ) : (
        <p className={styles.rule}>No band is registered: it is when the plan is made.</p>
      )}
    </>
  );
}
