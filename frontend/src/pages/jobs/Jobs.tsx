import { Link } from "react-router";

import { address } from "@/api/client";
import { jobsQuery } from "@/api/queries";
import type { Job } from "@/api/types";
import { PageHead } from "@/app/PageHead";
import { paths } from "@/app/paths";
import { useSession } from "@/app/session";
import { useAddress } from "@/app/useAddress";
import { words } from "@/format/numbers";
import { JobProtection, Told } from "@/parts/JobReport";
import { JobStateTag } from "@/parts/JobStateTag";
import { Choice, ListView } from "@/parts/ListView";
import { NoRows } from "@/parts/NoRows";
import { Quantity } from "@/ui/Quantity";
import { Time } from "@/ui/Time";
import type { Column } from "@/ui/table";

const STATES = ["submitted", "starting", "running", "finished", "failed", "stopped"] as const;
const PROTECTIONS = ["protected", "catching_up", "unprotected", "unknown"] as const;

const COLUMNS: readonly Column<Job>[] = [
  { id: "name", header: "Job", cell: (job) => <Link to={paths.job(job.id)}>{job.name}</Link>, value: (job) => job.name },
  { id: "state", header: "State", cell: (job) => <JobStateTag state={job.state} />, value: (job) => job.state },
  {
    id: "protection",
    header: "Protection",
    cell: (job) => (job.state === "running" ? <JobProtection job={job} /> : <span className="dim">not running</span>),
    value: (job) => job.protection,
  },
  { id: "cluster", header: "Cluster", cell: (job) => job.cluster.name, value: (job) => job.cluster.name },
  { id: "ranks", header: "Ranks", align: "right", cell: (job) => <Quantity value={job.world_size} as="count" />, value: (job) => job.world_size },
  {
    id: "step",
    header: "Committed step",
    align: "right",
    cell: (job) => <Told job={job}><Quantity value={job.committed_step} as="count" /></Told>,
    value: (job) => job.committed_step,
  },
  { id: "loss", header: "Loss", align: "right", cell: (job) => <Told job={job}><Quantity value={job.loss} /></Told>, value: (job) => job.loss },
  {
    id: "validation",
    header: "Validation",
    align: "right",
    cell: (job) => <Told job={job}><Quantity value={job.validation_loss} /></Told>,
    value: (job) => job.validation_loss,
  },
  {
    id: "step_time",
    header: "Step time",
    align: "right",
    cell: (job) => <Told job={job}><Quantity value={job.step_time_s} as="seconds" /></Told>,
    value: (job) => job.step_time_s,
  },
  { id: "created", header: "Submitted", align: "right", cell: (job) => <Time at={job.created_at} />, value: (job) => job.created_at },
];

const labelled = (codes: readonly string[]) => codes.map((code) => [code, words(code)] as const);

export default function Jobs() {
  const { tenant } = useSession();
  const { values, set } = useAddress(["state", "protection", "sort"]);
  const { sort, ...filters } = values;
  return (
    <>
      <PageHead title="Jobs" />
      <ListView
        what="Jobs"
        options={jobsQuery({ ...filters, tenant: tenant.id })}
        exportAt={address("/jobs/export", "", { ...filters, tenant: tenant.id, format: "csv" })}
        columns={COLUMNS}
        sort={sort ?? ""}
        onSort={(next) => set("sort", next)}
        filters={
          <>
            <Choice label="State" value={values.state} options={labelled(STATES)} onChange={(value) => set("state", value)} />
            <Choice
              label="Protection"
              value={values.protection}
              options={labelled(PROTECTIONS)}
              onChange={(value) => set("protection", value)}
            />
          </>
        }
        empty={
          <NoRows one="job" filters={filters}>
            Submit one with <span className="mono">hotswap run --agent</span> or POST /api/v1/jobs.
          </NoRows>
        }
      />
    </>
  );
}
