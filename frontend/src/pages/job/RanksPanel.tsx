import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { ranksQuery } from "@/api/queries";
import type { Job, RankRow } from "@/api/types";
import { useSession } from "@/app/session";
import { View } from "@/app/View";
import { NodeLink } from "@/parts/links";
import { Panel } from "@/ui/Panel";
import { ProtectionTag } from "@/ui/Protection";
import { Quantity } from "@/ui/Quantity";
import { Empty } from "@/ui/States";

import styles from "./job.module.css";
import { ProposeDialog } from "./ProposeDialog";

export function RanksPanel({ job }: { job: Job }) {
  const query = useQuery(ranksQuery(job.id));
  const [rank, setRank] = useState<RankRow | null>(null);
  return (
    <Panel title="Ranks" flush>
      <View what="The ranks" query={query}>
        {(ranks) =>
          ranks.length === 0 ? (
            <Empty title="No rank has an owner yet">They appear when the job&apos;s members have started.</Empty>
          ) : (
            <ul className={styles.ranks}>
              {ranks.map((row) => (
                <Rank key={row.rank} row={row} job={job} onPropose={() => setRank(row)} />
              ))}
            </ul>
          )
        }
      </View>
      {rank ? <ProposeDialog job={job} rank={rank} onClose={() => setRank(null)} /> : null}
    </Panel>
  );
}

interface RankProps {
  row: RankRow;
  job: Job;
  onPropose: () => void;
}

function whyNot(job: Job, row: RankRow, operator: boolean): string | null {
  if (!operator) return "Needs the role operator";
  if (job.state !== "running") return "The job is not running";
  return row.node ? null : "The rank has no owner";
}

function Rank({ row, job, onPropose }: RankProps) {
  const { may } = useSession();
  const why = whyNot(job, row, may("operator"));
  return (
    <li className={row.protection === "unprotected" ? styles.open : undefined}>
      <div className="row wide">
        <span className={styles.rank}>
          Rank <b>{row.rank}</b>
        </span>
        <ProtectionTag value={row.protection} />
      </div>
      <dl>
        <dt>Owner</dt>
        <dd>
          <NodeLink node={row.node} />
        </dd>
        <dt>Since epoch</dt>
        <dd>
          <Quantity value={row.epoch_from} as="count" />
        </dd>
        <dt>Mirror</dt>
        <dd>{row.mirror ? <NodeLink node={row.mirror.node} /> : <span className="strong">none</span>}</dd>
        <dt>Mirror lag</dt>
        <dd>{row.mirror ? <Quantity value={row.lag_steps} as="count" unit={row.lag_steps === 1 ? "step" : "steps"} /> : <span className="dim">no mirror</span>}</dd>
      </dl>
      <button type="button" className={styles.propose} disabled={why !== null} title={why ?? undefined} onClick={onPropose}>
        Propose a swap{why ? `: ${why.toLowerCase()}` : ""}
      </button>
    </li>
  );
}
