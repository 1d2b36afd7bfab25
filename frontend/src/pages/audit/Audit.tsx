import { Link } from "react-router";

import { auditQuery } from "@/api/queries";
import type { AuditEntry } from "@/api/types";
import { PageHead } from "@/app/PageHead";
import { pathOf } from "@/app/paths";
import { useSession } from "@/app/session";
import { useAddress } from "@/app/useAddress";
import { count, words, wordsWithin } from "@/format/numbers";
import { ListView, TextFilter } from "@/parts/ListView";
import { NoRows } from "@/parts/NoRows";
import { CopyId } from "@/ui/CopyId";
import { Forbidden } from "@/ui/States";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

import styles from "./audit.module.css";
import { VerifyPanel } from "./VerifyPanel";

function Subject({ subject }: { subject: string }) {
  const [kind = "", id = ""] = subject.split(":", 2);
  const path = pathOf(kind, id);
  const text = `${kind} ${id.slice(-12)}`;
  return path ? (
    <Link className="link" to={path} title={subject}>
      {text}
    </Link>
  ) : (
    <span title={subject}>{text}</span>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { id: "sequence", header: "No.", cell: (entry) => <span className="mono">{count(entry.sequence)}</span>, value: (entry) => entry.sequence, width: "70px" },
  { id: "at", header: "At", cell: (entry) => <Time at={entry.at} as="day" />, value: (entry) => entry.at },
  { id: "action", header: "Action", cell: (entry) => <span className="strong">{words(entry.action)}</span>, value: (entry) => entry.action },
  { id: "subject", header: "Subject", cell: (entry) => <Subject subject={entry.subject} />, value: (entry) => entry.subject },
  {
    id: "actor",
    header: "Who",
    cell: (entry) => (
      <>
        {entry.actor.name} <span className="dim small">{entry.actor.kind}</span>
      </>
    ),
    value: (entry) => entry.actor.name,
  },
  {
    id: "detail",
    header: "Detail",
    cell: (entry) => (
      <span className={styles.detail} title={JSON.stringify(entry.detail, null, 1)}>
        {detailText(entry.detail)}
      </span>
    ),
    value: (entry) => JSON.stringify(entry.detail),
  },
  { id: "digest", header: "Digest", cell: (entry) => <CopyId value={entry.digest} label="digest" />, value: (entry) => entry.digest },
];

const detailText = (detail: Record<string, unknown>): string =>
  Object.entries(detail)
    .filter(([, value]) => value !== null && typeof value !== "object")
    .map(([name, value]) => `${wordsWithin(name)} ${typeof value === "string" && /^[a-z_]+$/.test(value) ? wordsWithin(value) : String(value)}`)
    .join(", ");

export default function Audit() {
  const { tenant, may } = useSession();
  return (
    <>
      <PageHead title="Audit" />
      {may("auditor") ? (
        <>
          <VerifyPanel tenant={tenant.id} />
          <Chain tenant={tenant.id} />
        </>
      ) : (
        <div className={styles.box}>
          <Forbidden detail={`The audit of ${tenant.name} takes the role auditor.`} whoCan={[`an administrator of ${tenant.name}`]} />
        </div>
      )}
    </>
  );
}

function Chain({ tenant }: { tenant: string }) {
  const { values, set } = useAddress(["subject", "actor_name", "action", "sort"]);
  const { sort, ...filters } = values;
  return (
    <ListView
      what="Audit"
      options={auditQuery({ ...filters, tenant })}
      columns={COLUMNS}
      sort={sort ?? ""}
      onSort={(next) => set("sort", next)}
      filters={
        <>
          <TextFilter label="Subject, as swap:id" value={values.subject} onChange={(value) => set("subject", value)} />
          <TextFilter label="Who" value={values.actor_name} onChange={(value) => set("actor_name", value)} />
          <TextFilter label="Action" value={values.action} onChange={(value) => set("action", value)} />
        </>
      }
      empty={
        <NoRows one="entry" filters={filters}>
          Every decision and every state of a swap is entered here, for ever.
        </NoRows>
      }
    />
  );
}
