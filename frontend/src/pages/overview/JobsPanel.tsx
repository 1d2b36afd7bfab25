import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";

import { lossQuery } from "@/api/queries";
import type { Job } from "@/api/types";
import { paths } from "@/app/paths";
import { JobProtection, Told } from "@/parts/JobReport";
import { DataTable } from "@/ui/DataTable";
import { Panel } from "@/ui/Panel";
import { Quantity } from "@/ui/Quantity";
import { Sparkline } from "@/ui/Sparkline";
import { Empty } from "@/ui/States";
import type { Column } from "@/ui/table";

/** The latest steps in a sparkline. */
const SPARK_POINTS = 60;

function LossSpark({ job }: { job: Job }) {
  const { data } = useQuery(lossQuery(job.id));
  if (!data) return null;
  const values = data.points.slice(-SPARK_POINTS).map((point) => point.loss);
  return <Sparkline values={values} label={`Train loss of ${job.name}, latest ${values.length} steps`} />;
}

const COLUMNS: readonly Column<Job>[] = [
  {
    id: "name",
    header: "Job",
    cell: (job) => <Link to={paths.job(job.id)}>{job.name}</Link>,
    value: (job) => job.name,
  },
  {
    id: "protection",
    header: "Protection",
    cell: (job) => <JobProtection job={job} />,
    value: (job) => job.protection,
  },
  { id: "spark", header: "Train loss", cell: (job) => <LossSpark job={job} /> },
  {
    id: "validation",
    header: "Validation",
    align: "right",
    cell: (job) => <Told job={job}><Quantity value={job.validation_loss} /></Told>,
    value: (job) => job.validation_loss,
  },
  {
    id: "step",
    header: "Committed step",
    align: "right",
    cell: (job) => <Told job={job}><Quantity value={job.committed_step} as="count" /></Told>,
    value: (job) => job.committed_step,
  },
  {
    id: "time",
    header: "Step time",
    align: "right",
    cell: (job) => <Told job={job}><Quantity value={job.step_time_s} as="seconds" /></Told>,
    value: (job) => job.step_time_s,
  },
];

export function JobsPanel({ jobs }: { jobs: readonly Job[] }) {
  const [sort, setSort] = useState("");
  return (
    <Panel title="Jobs" flush aside={<Link className="link" to={paths.jobs()}>All jobs</Link>}>
      {jobs.length === 0 ? (
        <Empty title="No job is running">
          Submit one with <span className="mono">hotswap run --agent</span> or POST /api/v1/jobs, and its loss appears here.
        </Empty>
      ) : (
        <DataTable label="Jobs" rows={jobs} columns={COLUMNS} rowKey={(job) => job.id} sort={sort} onSort={setSort} />
      )}
    </Panel>
  );
}
