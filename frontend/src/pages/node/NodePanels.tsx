import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "react-router";

import { swapsQuery } from "@/api/queries";
import type { FleetNode, SwapSummary } from "@/api/types";
import { paths } from "@/app/paths";
import { words } from "@/format/numbers";
import { JobLink, swapTitle } from "@/parts/links";
import { SwapStateTag } from "@/parts/swapStates";
import { DataTable } from "@/ui/DataTable";
import { Facts, Panel } from "@/ui/Panel";
import { Tag, Unknown } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";


import styles from "./node.module.css";

export function Placement({ node }: { node: FleetNode }) {
  const domains = node.domains
    .filter((domain) => domain.id !== node.rack?.id)
    .map((domain) => [words(domain.kind), domain.name] as const);
  return (
    <Panel title="Placement">
      <Facts
        items={[
          ["Cluster", node.cluster.name],
          ["Rack", node.rack?.name ?? <Unknown key="rack" />],
          ...domains,
          ["Class", node.node_class],
          ["Address", node.address ? <span className="mono">{node.address}</span> : <Unknown />],
          ["Holds", node.rank_of.length === 0 ? <span className="dim">no rank</span> : <Ranks node={node} />],
          ["Reserved for", node.reserved_for ?? <span className="dim">nothing</span>],
        ]}
      />
    </Panel>
  );
}

const Ranks = ({ node }: { node: FleetNode }) => (
  <ul>
    {node.rank_of.map(({ job, rank }) => (
      <li key={`${job.id} ${rank}`}>
        <JobLink job={job} /> rank {rank}
      </li>
    ))}
  </ul>
);

export const Devices = ({ node }: { node: FleetNode }) => (
  <Panel title="Devices" aside={node.devices.length}>
    {node.devices.length === 0 ? (
      <p className="dim">The inventory names no device.</p>
    ) : (
      <ul className={styles.devices}>
        {node.devices.map((device) => (
          <li key={device.id} title={device.uuid}>
            <span>
              {device.kind} {device.index}
              <span className="dim"> {device.model}</span>
            </span>
            <Tag tone={device.state === "ok" || device.state === "active" ? "quiet" : "plain"}>{words(device.state)}</Tag>
          </li>
        ))}
      </ul>
    )}
  </Panel>
);

export const Firmware = ({ node }: { node: FleetNode }) => (
  <Panel title="Firmware and attestation">
    <Facts
      items={[
        ...Object.entries(node.firmware).map(
          ([part, version]) => [words(part), <span key={part} className="mono">{version}</span>] as const,
        ),
        ["Attestation", <Unknown key="attestation">not attested</Unknown>],
      ]}
    />
  </Panel>
);

const COLUMNS: readonly Column<SwapSummary>[] = [
  { id: "swap", header: "Swap", cell: (swap) => <Link to={paths.swap(swap.id)}>{swapTitle(swap)}</Link> },
  { id: "job", header: "Job", cell: (swap) => `${swap.job.name}, rank ${swap.rank}` },
  { id: "state", header: "State", cell: (swap) => <SwapStateTag state={swap.state} /> },
  { id: "at", header: "Proposed", align: "right", cell: (swap) => <Time at={swap.created_at} /> },
];

export function SwapHistory({ node }: { node: FleetNode }) {
  const { data } = useInfiniteQuery(swapsQuery({ node: node.id }));
  const swaps = data?.pages[0]?.results ?? [];
  return (
    <Panel title="Swaps of this node" flush>
      {swaps.length === 0 ? (
        <p className={styles.none}>None. This node has neither given a rank away nor taken one over.</p>
      ) : (
        <DataTable label="Swaps of this node" rows={swaps} columns={COLUMNS} rowKey={(swap) => swap.id} />
      )}
    </Panel>
  );
}
