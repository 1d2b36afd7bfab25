import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { ruleQuery } from "@/api/queries";
import type { Contribution, NodeDetail, RuleBook } from "@/api/types";
import { measure, unitText, words } from "@/format/numbers";
import { DataTable } from "@/ui/DataTable";
import { GRADES, GradeMark } from "@/ui/Grade";
import { Panel } from "@/ui/Panel";
import { Quantity } from "@/ui/Quantity";
import { Empty } from "@/ui/States";
import { Tag } from "@/ui/Tag";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

import styles from "./node.module.css";

type Rule = RuleBook["signals"][number];

/** One rule holds for all devices of a kind: `gpu_0_temperature` is judged as `gpu_temperature`. */
const baseOf = (signal: string): string => signal.replace(/_\d+(?=_)/, "");

/** `5 / 20 / 60`: where medium, high and critical begin. */
const thresholdText = (rule: Rule | undefined): string =>
  rule ? [rule.medium, rule.high, rule.critical].map((value) => (value === null ? "–" : measure(value))).join(" / ") : "";

const columnsOf = (rules: ReadonlyMap<string, Rule>, stale: boolean): readonly Column<Contribution>[] => [
  { id: "signal", header: "Signal", cell: (row) => <span className="strong">{words(row.name)}</span>, value: (row) => row.name },
  {
    id: "grade",
    header: "Says",
    cell: (row) => (row.grade === null ? <span className="dim">no opinion</span> : <GradeMark grade={row.grade} stale={stale} />),
    value: (row) => (row.grade === null ? null : GRADES.indexOf(row.grade)),
  },
  {
    id: "value",
    header: "Value",
    align: "right",
    cell: (row) => <Quantity value={row.figure} unit={unitText(row.unit)} />,
    value: (row) => row.figure,
  },
  {
    id: "thresholds",
    header: "Medium / high / critical",
    align: "right",
    cell: (row) => <span className="dim">{thresholdText(rules.get(baseOf(row.name))) || "no threshold"}</span>,
  },
  { id: "reason", header: "Why", cell: (row) => <span className={styles.why}>{row.reason}</span> },
  { id: "source", header: "Source", cell: (row) => (row.source === "simulated" ? <Tag tone="hatched">simulated</Tag> : row.source) },
];

/** Why this grade: what each signal says by the published rule. */
export function Contributions({ node }: { node: NodeDetail }) {
  const [sort, setSort] = useState("grade");
  const { data } = useQuery(ruleQuery);
  const rules = new Map((data?.signals ?? []).map((rule) => [rule.name, rule]));
  const { contributions, reason, rule_version: version } = node.verdict;
  return (
    <Panel
      title="Why this grade"
      flush
      aside={
        <span>
          {reason ? `${reason}; ` : ""}rule {version}
          {node.reported_at ? (
            <>
              , report <Time at={node.reported_at} />
            </>
          ) : null}
        </span>
      }
    >
      {contributions.length === 0 ? (
        <Empty title="Nothing was reported yet">The grade is unknown until the node&apos;s agent sends its signals.</Empty>
      ) : (
        <DataTable
          label="What each signal says"
          rows={contributions}
          columns={columnsOf(rules, node.stale)}
          rowKey={(row) => row.name}
          sort={sort}
          onSort={setSort}
        />
      )}
    </Panel>
  );
}
