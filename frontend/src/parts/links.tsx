/** Things by name, as links to their pages. */
import { Link } from "react-router";

import type { JobRef, NodeRef, RankRef, SwapSummary } from "@/api/types";
import { paths } from "@/app/paths";
import { GradeShape } from "@/ui/Grade";
import { Icon } from "@/ui/Icon";
import { Unknown } from "@/ui/Tag";

import styles from "./parts.module.css";

export function NodeLink({ node }: { node: NodeRef | null }) {
  if (!node) return <Unknown>no node</Unknown>;
  return (
    <Link to={paths.node(node.id)} className={styles.node} title={`${node.name}: grade ${node.grade}`}>
      <GradeShape grade={node.grade} size={10} />
      {node.name}
      <span className="visually-hidden"> (grade {node.grade})</span>
    </Link>
  );
}

export const JobLink = ({ job }: { job: JobRef }) => (
  <Link to={paths.job(job.id)} className={styles.node}>
    {job.name}
  </Link>
);

/** `n3 → n5`, with the grades of both. */
export const SwapRoute = ({ swap }: { swap: SwapSummary }) => (
  <span className={styles.route}>
    <NodeLink node={swap.source_node} />
    <Icon name="arrow" size={12} />
    <span className="visually-hidden">to</span>
    {swap.target_node ? <NodeLink node={swap.target_node} /> : <span className="dim">to be chosen</span>}
  </span>
);

/** What a node holds: a rank, or a place as a standby. */
export const rankText = (held: RankRef): string =>
  held.rank === null ? `${held.job_name} standby` : `${held.job_name} rank ${held.rank}`;

export const swapTitle = (swap: SwapSummary): string =>
  `${swap.source_node?.name ?? "?"} → ${swap.target_node?.name ?? "to be chosen"}`;
