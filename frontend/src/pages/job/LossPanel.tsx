import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { lossQuery, swapsQuery } from "@/api/queries";
import type { Job, LossPoint, SwapSummary } from "@/api/types";
import { View } from "@/app/View";
import { Chart } from "@/charts/Chart";
import { lossChart, swapMarks } from "@/charts/loss";
import { count } from "@/format/numbers";
import { Panel } from "@/ui/Panel";
import { Empty } from "@/ui/States";

const CHART_HEIGHT_PX = 300;

export function LossPanel({ job }: { job: Job }) {
  const loss = useQuery(lossQuery(job.id));
  const swaps = useInfiniteQuery(swapsQuery({ job: job.id }));
  const points = loss.data?.points.length ?? 0;
  return (
    <Panel title="Loss over committed steps" aside={points > 0 ? `${count(points)} steps; drag to zoom, double-click for all` : null}>
      <View what="The loss" query={loss}>
        {(data) =>
          data.points.length === 0 ? (
            <Empty title="No step is committed yet">The first point comes with the first committed step.</Empty>
          ) : (
            <LossChart points={data.points} swaps={swaps.data?.pages[0]?.results ?? []} />
          )
        }
      </View>
    </Panel>
  );
}

interface LossChartProps {
  points: readonly LossPoint[];
  swaps: readonly SwapSummary[];
}

function LossChart({ points, swaps }: LossChartProps) {
  const model = useMemo(() => lossChart(points, swapMarks(swaps)), [points, swaps]);
  return <Chart model={model} label="Train and validation loss over committed steps" height={CHART_HEIGHT_PX} />;
}
