import { useState } from "react";

import type { Contribution, FleetNode } from "@/api/types";
import { words } from "@/format/numbers";
import { DataTable } from "@/ui/DataTable";
import { GRADES, GradeMark } from "@/ui/Grade";
import { Panel } from "@/ui/Panel";
import { Quantity } from "@/ui/Quantity";
import { Empty } from "@/ui/States";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

const COLUMNS: readonly Column<Contribution>[] = [
  { id: "signal", header: "Signal", cell: (row) => <span className="strong">{words(row.signal)}</span>, value: (row) => row.signal },
  {
    id: "grade",
    header: "Says",
    cell: (row) => <GradeMark grade={row.grade} />,
    value: (row) => GRADES.indexOf(row.grade),
  },
  {
    id: "value",
    header: "Value",
    align: "right",
    cell: (row) => <Quantity value={row.value} unit={row.unit} />,
    value: (row) => row.value,
  },
  {
    id: "threshold",
    header: "Next threshold",
    align: "right",
    cell: (row) => (row.threshold === null ? <span className="dim">none</span> : <Quantity value={row.threshold} unit={row.unit} />),
    value: (row) => row.threshold,
  },
  { id: "text", header: "Why", cell: (row) => <span className="ink2">{row.text}</span> },
];

/** Why this grade: what each signal says by the published thresholds. */
export function Contributions({ node }: { node: FleetNode }) {
  const [sort, setSort] = useState("grade");
  return (
    <Panel
      title="Why this grade"
      flush
      aside={
        <span>
          report <Time at={node.reported_at} />
        </span>
      }
    >
      {node.contributions.length === 0 ? (
        <Empty title="Nothing was reported yet">The grade is unknown until the node&apos;s agent sends its signals.</Empty>
      ) : (
        <DataTable
          label="What each signal says"
          rows={node.contributions}
          columns={COLUMNS}
          rowKey={(row) => row.signal}
          sort={sort}
          onSort={setSort}
        />
      )}
    </Panel>
  );
}
