import { Link } from "react-router";

import type { Overview, Spares, SwapSummary } from "@/api/types";
import { paths } from "@/app/paths";
import { measure } from "@/format/numbers";
import { SwapRoute, swapTitle } from "@/parts/links";
import { SwapProgress } from "@/parts/swapStates";
import { DataTable } from "@/ui/DataTable";
import { GradeBar } from "@/ui/Grade";
import { Meter } from "@/ui/Meter";
import { Panel } from "@/ui/Panel";
import { Quantity } from "@/ui/Quantity";
import { Empty } from "@/ui/States";
import { Unknown } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

import styles from "./overview.module.css";

const SWAP_COLUMNS: readonly Column<SwapSummary>[] = [
  { id: "id", header: "Swap", cell: (swap) => <Link to={paths.swap(swap.id)}>{swapTitle(swap)}</Link> },
  { id: "job", header: "Job", cell: (swap) => `${swap.job.name}, rank ${swap.rank}` },
  { id: "state", header: "Phase", cell: (swap) => <SwapProgress swap={swap} /> },
  { id: "since", header: "Proposed", cell: (swap) => <Time at={swap.created_at} /> },
];

export const SwapsPanel = ({ swaps }: { swaps: readonly SwapSummary[] }) => (
  <Panel title="Swaps in flight" flush aside={<Link className="link" to={paths.swaps()}>All swaps</Link>}>
    {swaps.length === 0 ? (
      <Empty title="No swap is in flight">When a node gets worse, one is proposed and appears here.</Empty>
    ) : (
      <DataTable label="Swaps in flight" rows={swaps} columns={SWAP_COLUMNS} rowKey={(swap) => swap.id} />
    )}
  </Panel>
);

const nodesText = (nodes: number): string => `${nodes} ${nodes === 1 ? "node" : "nodes"}`;

/** What the reserve is, what it should be, and what is not counted in it. */
export function spareText({ ready, reserved, unfit, target_percent: target }: Spares, nodes: number): string {
  const wanted = target === null ? 0 : Math.ceil((nodes * target) / 100);
  const aim = target === null ? "No target is set." : `At least ${measure(target)} % should: ${nodesText(wanted)}.`;
  const beside = [reserved > 0 ? `${reserved} reserved for a swap` : "", unfit > 0 ? `${unfit} not fit to take over` : ""].filter(Boolean);
  return [`${ready} of ${nodesText(nodes)} ${ready === 1 ? "stands" : "stand"} by as a spare.`, aim, beside.length > 0 ? `Not counted: ${beside.join(", ")}.` : ""]
    .filter(Boolean)
    .join(" ");
}

interface FleetPanelProps {
  counts: Overview["nodes_by_grade"];
  spares: Spares;
}

export function FleetPanel({ counts, spares }: FleetPanelProps) {
  const { percent, target_percent: target } = spares;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return (
    <Panel title="Nodes by grade" aside={<Link className="link" to={paths.fleet()}>Fleet</Link>}>
      <div className="stack">
        {total === 0 ? <p className="dim">No node is enrolled yet.</p> : <GradeBar counts={counts} />}
        <div className={styles.line} />
        <Meter
          label="Spare reserve"
          value={percent}
          full={Math.max(percent ?? 0, (target ?? 5) * 2)}
          mark={target}
          markLabel={`at least ${target} % should stand by`}
          text={percent === null ? <Unknown /> : <Quantity value={percent} unit="%" />}
        />
        <p className="dim small">{spareText(spares, total)}</p>
      </div>
    </Panel>
  );
}

export function PausePanel({ swap }: { swap: SwapSummary | null }) {
  return (
    <Panel
      title="Last swap"
      aside={swap ? <Link className="link" to={paths.swap(swap.id)}>Open</Link> : null}
    >
      {swap ? <LastSwap swap={swap} /> : <p className="dim">No rank has changed hands yet.</p>}
    </Panel>
  );
}

const LastSwap = ({ swap }: { swap: SwapSummary }) => (
  <div className="stack">
    <div className="row wide">
      <SwapRoute swap={swap} />
      <span className="dim small">
        <Time at={swap.created_at} />
      </span>
    </div>
    <Meter
      label={swap.kind === "planned" ? "Pause of training" : "From loss to training again"}
      value={swap.pause_ms}
      full={Math.max(swap.pause_budget_ms ?? 0, swap.pause_ms ?? 0, 1)}
      text={
        <>
          <span className={styles.large}>
            <Quantity value={swap.pause_ms} as="milliseconds" />
          </span>
          {swap.pause_budget_ms === null ? null : <span className="dim"> of {measure(swap.pause_budget_ms)} ms</span>}
        </>
      }
    />
    <div className="row wide">
      <span className="ink2">Steps lost</span>
      <span className="strong">
        <Quantity value={swap.steps_lost} as="count" />
      </span>
    </div>
  </div>
);
