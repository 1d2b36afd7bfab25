import { Link } from "react-router";

import { approvalsQuery } from "@/api/queries";
import type { Approval } from "@/api/types";
import { PageHead } from "@/app/PageHead";
import { paths } from "@/app/paths";
import { useSession } from "@/app/session";
import { useAddress } from "@/app/useAddress";
import { words } from "@/format/numbers";
import { Choice, ListView } from "@/parts/ListView";
import { NoRows } from "@/parts/NoRows";
import { ApprovalStateTag } from "@/parts/DecidedFacts";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

import styles from "./approvals.module.css";

const COLUMNS: readonly Column<Approval>[] = [
  {
    id: "summary",
    header: "Asked",
    cell: (row) => (
      <Link to={paths.approval(row.id)} className={styles.summary}>
        {row.summary}
      </Link>
    ),
    value: (row) => row.summary,
  },
  { id: "state", header: "Decided", cell: (row) => <ApprovalStateTag state={row.state} />, value: (row) => row.state },
  {
    id: "executed",
    header: "Executed",
    cell: (row) => (row.executed_at ? <Time at={row.executed_at} /> : <span className="dim">no</span>),
    value: (row) => row.executed_at,
  },
  { id: "proposer", header: "Proposed by", cell: (row) => row.proposer.name, value: (row) => row.proposer.name },
  {
    id: "by",
    header: "Decided by",
    cell: (row) => row.decided_by?.name ?? <span className="dim">nobody</span>,
    value: (row) => row.decided_by?.name,
  },
  {
    id: "expires",
    header: "Expires",
    align: "right",
    cell: (row) => (row.state === "pending" ? <Time at={row.expires_at} /> : <span className="dim">settled</span>),
    value: (row) => row.expires_at,
  },
];

const STATES = ["pending", "approved", "refused", "expired", "void"].map((state) => [state, words(state)] as const);
const MINE = [["true", "I can decide"]] as const;

export default function Approvals() {
  const { tenant } = useSession();
  const { values, set } = useAddress(["state", "mine", "sort"]);
  const { sort, ...filters } = values;
  return (
    <>
      <PageHead title="Approvals" />
      <ListView
        what="Approvals"
        options={approvalsQuery({ ...filters, tenant: tenant.id })}
        columns={COLUMNS}
        sort={sort ?? ""}
        onSort={(next) => set("sort", next)}
        filters={
          <>
            <Choice label="State" value={values.state} options={STATES} onChange={(value) => set("state", value)} />
            <Choice label="Which" value={values.mine} options={MINE} onChange={(value) => set("mine", value)} />
          </>
        }
        empty={
          <NoRows one="approval" filters={filters}>
            A planned swap asks for one before anything is done to the job.
          </NoRows>
        }
      />
    </>
  );
}
