/** Source and target, side by side, with what is known of either. */
import { Link } from "react-router";

import type { NodeRef, Swap } from "@/api/types";
import { paths } from "@/app/paths";
import { GRADE_WORDS, GradeShape } from "@/ui/Grade";
import { Icon } from "@/ui/Icon";

import styles from "./swap.module.css";

interface EndProps {
  role: string;
  node: NodeRef | null;
  member: string | null;
  owns: boolean;
}

const End = ({ role, node, member, owns }: EndProps) => (
  <div className={owns ? styles.owner : styles.end}>
    <span className="dim small">{role}</span>
    {node ? (
      <Link to={paths.node(node.id)} className={styles.nodeName}>
        <GradeShape grade={node.grade} size={16} />
        {node.name}
      </Link>
    ) : (
      <span className={`${styles.nodeName} dim`}>to be chosen</span>
    )}
    <span className="small ink2">
      {node ? `grade ${GRADE_WORDS[node.grade].toLowerCase()}` : "the plan reserves a spare"}
      {member ? <span className={`mono dim ${styles.member}`} title="member of the job"> {member}</span> : null}
    </span>
    {owns ? <span className={styles.owns}>owns the rank</span> : null}
  </div>
);

/** States from which on the target owns the rank. */
const HANDED_OVER: ReadonlySet<string> = new Set(["watching", "completed", "deviated"]);

export function RouteHead({ swap }: { swap: Swap }) {
  const over = HANDED_OVER.has(swap.state);
  return (
    <section className={styles.route} aria-label="Source and target">
      <End role="Source" node={swap.source_node} member={swap.source_member} owns={!over} />
      <span className={styles.arrow}>
        <span>rank {swap.rank}</span>
        <Icon name="arrow" size={22} />
      </span>
      <End role="Target" node={swap.target_node} member={swap.target_member} owns={over} />
      <div className={styles.why}>
        <span className="dim small">Why</span>
        <p>{swap.reason || "No reason was given."}</p>
        <span className="small dim">proposed by {swap.proposer?.name ?? "the policy"}</span>
      </div>
    </section>
  );
}
