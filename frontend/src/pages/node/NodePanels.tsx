import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "react-router";

import { nodeEventsQuery, swapsQuery } from "@/api/queries";
import type { NodeDetail, NodeEvent, SwapSummary } from "@/api/types";
import { paths } from "@/app/paths";
import { View } from "@/app/View";
import { words, wordsWithin } from "@/format/numbers";
import { JobLink, swapTitle } from "@/parts/links";
import { SwapStateTag } from "@/parts/swapStates";
import { DataTable } from "@/ui/DataTable";
import { Facts, Panel } from "@/ui/Panel";
import { Skeleton } from "@/ui/States";
import { Tag, Unknown } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

import styles from "./node.module.css";

export function Placement({ node }: { node: NodeDetail }) {
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
          ["Class", node.node_class.name],
          ["Address", node.address ? <span className="mono">{node.address}</span> : <Unknown />],
          ["Holds", node.rank_of.length === 0 ? <span className="dim">no rank</span> : <Ranks node={node} />],
          ["Reserved for", node.reserved_for ?? <span className="dim">nothing</span>],
        ]}
      />
    </Panel>
  );
}

const Ranks = ({ node }: { node: NodeDetail }) => (
  <ul>
    {node.rank_of.map((held) => (
      <li key={`${held.job} ${held.rank}`}>
        <JobLink job={{ id: held.job, name: held.job_name }} /> {held.rank === null ? "standby" : `rank ${held.rank}`}
      </li>
    ))}
  </ul>
);

export const Devices = ({ node }: { node: NodeDetail }) => (
  <Panel title="Devices" aside={node.devices.length}>
    {node.devices.length === 0 ? (
      <p className="dim">The inventory names no device.</p>
    ) : (
      <ul className={styles.devices}>
        {node.devices.map((device) => (
          <li key={`${device.kind} ${device.index} ${device.uuid}`} title={device.uuid}>
            <span>
              {words(device.kind)} {device.index}
              <span className="dim"> {device.model}</span>
            </span>
            <Tag tone={device.state === "present" ? "quiet" : "loud"}>{words(device.state)}</Tag>
          </li>
        ))}
      </ul>
    )}
  </Panel>
);

export const Firmware = ({ node }: { node: NodeDetail }) => (
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

export function SwapHistory({ node }: { node: NodeDetail }) {
  const query = useInfiniteQuery(swapsQuery({ node: node.id }));
  return (
    <Panel title="Swaps of this node" flush>
      <View what="The swaps of this node" query={query} loading={<Skeleton rows={2} />}>
        {({ pages }) => {
          const swaps = pages[0]?.results ?? [];
          return swaps.length === 0 ? (
            <p className={styles.none}>None. This node has neither given a rank away nor taken one over.</p>
          ) : (
            <DataTable label="Swaps of this node" rows={swaps} columns={COLUMNS} rowKey={(swap) => swap.id} />
          );
        }}
      </View>
    </Panel>
  );
}

const EVENT_COLUMNS: readonly Column<NodeEvent>[] = [
  { id: "what", header: "What", cell: (event) => <span className="strong">{words(event.kind)}</span> },
  {
    id: "change",
    header: "Change",
    cell: (event) => (event.before || event.after ? `${wordsWithin(event.before || "none")} → ${wordsWithin(event.after || "none")}` : ""),
  },
  { id: "reason", header: "Why", cell: (event) => <span className={styles.reason} title={event.reason}>{event.reason}</span> },
  { id: "who", header: "Who", cell: (event) => event.actor.name },
  { id: "at", header: "At", align: "right", cell: (event) => <Time at={event.at} /> },
];

/** Grades, states and reservations, as they changed. */
export function NodeHistory({ node }: { node: NodeDetail }) {
  const query = useQuery(nodeEventsQuery(node.id));
  return (
    <Panel title="History" flush>
      <View what="The history" query={query} loading={<Skeleton rows={2} />}>
        {({ results }) =>
          results.length === 0 ? (
            <p className={styles.none}>Nothing has changed since it was registered.</p>
          ) : (
            <DataTable label="History of this node" rows={results} columns={EVENT_COLUMNS} rowKey={(event) => String(event.id)} />
          )
        }
      </View>
    </Panel>
  );
}
