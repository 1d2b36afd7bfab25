import type { Constraint, Swap } from "@/api/types";
import { words } from "@/format/numbers";
import { CopyId } from "@/ui/CopyId";
import { Icon } from "@/ui/Icon";
import { Facts, Panel } from "@/ui/Panel";
import { Tag } from "@/ui/Tag";

import styles from "./swap.module.css";

export function PlanPanel({ swap }: { swap: Swap }) {
  const { plan } = swap;
  if (!plan) {
    return (
      <Panel title="Plan">
        <p className="dim">
          {swap.kind === "unplanned"
            ? "A takeover has no plan of its own: the pre-authorised policy let the mirror take over at once."
            : "There is no plan yet. It reserves a spare, checks the constraints and registers the band."}
        </p>
      </Panel>
    );
  }
  return (
    <Panel title="Plan" aside={swap.plan_digest ? <CopyId value={swap.plan_digest} label="digest" /> : null}>
      <div className={styles.plan}>
        <ul className={styles.constraints} aria-label="Constraints">
          {plan.constraints.map((constraint) => (
            <ConstraintLine key={constraint.name} constraint={constraint} />
          ))}
        </ul>
        <Facts
          items={[
            ["Reservation", plan.reservation ?? <span className="dim">none</span>],
            ["Blast radius", plan.blast_radius ?? <span className="dim">not stated</span>],
            ["Watch", swap.watch_steps === null ? <span className="dim">not stated</span> : `${swap.watch_steps} committed steps`],
          ]}
        />
      </div>
    </Panel>
  );
}

function ConstraintLine({ constraint }: { constraint: Constraint }) {
  return (
    <li>
      {constraint.ok === null ? (
        <Tag tone="hatched">unknown</Tag>
      ) : (
        <span className={constraint.ok ? styles.kept : styles.broken}>
          <Icon name={constraint.ok ? "check" : "cross"} size={13} />
          <span className="visually-hidden">{constraint.ok ? "kept" : "broken"}</span>
        </span>
      )}
      <span>
        <span className="strong">{words(constraint.name)}</span> <span className="ink2">{constraint.text}</span>
      </span>
    </li>
  );
}
