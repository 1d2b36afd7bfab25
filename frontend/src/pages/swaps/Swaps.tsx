import { Link } from "react-router";

import { swapsQuery } from "@/api/queries";
import { swapStates } from "@/api/swapStates";
import type { SwapSummary } from "@/api/types";
import { PageHead } from "@/app/PageHead";
import { paths } from "@/app/paths";
import { useSession } from "@/app/session";
import { useAddress } from "@/app/useAddress";
import { words } from "@/format/numbers";
import { Choice, ListView } from "@/parts/ListView";
import { NoRows } from "@/parts/NoRows";
import { JobLink, swapTitle } from "@/parts/links";
import { isOpen, SwapProgress } from "@/parts/swapStates";
import { Quantity } from "@/ui/Quantity";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

import { BrakeBar } from "@/parts/BrakeBar";

const COLUMNS: readonly Column<SwapSummary>[] = [
  { id: "swap", header: "Swap", cell: (swap) => <Link to={paths.swap(swap.id)}>{swapTitle(swap)}</Link>, value: swapTitle },
  { id: "state", header: "Phase", cell: (swap) => <SwapProgress swap={swap} />, value: (swap) => swap.state },
  { id: "kind", header: "Kind", cell: (swap) => <Tag>{words(swap.kind)}</Tag>, value: (swap) => swap.kind },
  { id: "job", header: "Job", cell: (swap) => <JobLink job={swap.job} />, value: (swap) => swap.job.name },
  { id: "rank", header: "Rank", align: "right", cell: (swap) => swap.rank, value: (swap) => swap.rank },
  { id: "proposer", header: "Proposed by", cell: (swap) => swap.proposer?.name ?? "policy", value: (swap) => swap.proposer?.name },
  {
    id: "pause",
    header: "Pause",
    align: "right",
    cell: (swap) => (swap.pause_ms === null ? <span className="dim">{isOpen(swap.state) ? "none yet" : "none"}</span> : <Quantity value={swap.pause_ms} as="milliseconds" />),
    value: (swap) => swap.pause_ms,
  },
  { id: "created", header: "Proposed", align: "right", cell: (swap) => <Time at={swap.created_at} />, value: (swap) => swap.created_at },
];

const STATES = swapStates.map((state) => [state, words(state)] as const);

const KINDS = [
  ["planned", "Planned"],
  ["unplanned", "Unplanned"],
] as const;

export default function Swaps() {
  const { tenant } = useSession();
  const { values, set } = useAddress(["state", "kind", "job", "sort"]);
  const { sort, ...filters } = values;
  return (
    <>
      <PageHead title="Swaps" />
      <BrakeBar />
      <ListView
        what="Swaps"
        options={swapsQuery({ ...filters, tenant: tenant.id })}
        columns={COLUMNS}
        sort={sort ?? ""}
        onSort={(next) => set("sort", next)}
        filters={
          <>
            <Choice label="Phase" value={values.state} options={STATES} onChange={(value) => set("state", value)} />
            <Choice label="Kind" value={values.kind} options={KINDS} onChange={(value) => set("kind", value)} />
          </>
        }
        empty={
          <NoRows one="swap" filters={filters}>
            The policy proposes one when a node gets worse; an operator can from a job&apos;s ranks.
          </NoRows>
        }
      />
    </>
  );
}
