import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";

import { jobQuery } from "@/api/queries";
import type { Job as Data } from "@/api/types";
import { PageHead } from "@/app/PageHead";
import { paths } from "@/app/paths";
import { View } from "@/app/View";
import { Banner } from "@/ui/Banner";
import { Figure, Figures } from "@/ui/Panel";
import { ProtectionTag } from "@/ui/Protection";
import { Quantity } from "@/ui/Quantity";
import { PageSkeleton } from "@/ui/States";
import { JobStateTag } from "@/parts/JobStateTag";

import { EventsPanel } from "./EventsPanel";
import { LossPanel } from "./LossPanel";
import { RanksPanel } from "./RanksPanel";
import { SettingsPanel } from "./SettingsPanel";

export default function Job() {
  const { id = "" } = useParams();
  const query = useQuery(jobQuery(id));
  return (
    <View what="This job" query={query} loading={<PageSkeleton />}>
      {(job) => <Loaded job={job} />}
    </View>
  );
}

const Tags = ({ job }: { job: Data }) => (
  <>
    <JobStateTag state={job.state} />
    {job.state === "running" ? <ProtectionTag value={job.protection} /> : null}
  </>
);

const Loaded = ({ job }: { job: Data }) => (
  <>
    <PageHead title={job.name} parent={["Jobs", paths.jobs()]} id={job.id} tags={<Tags job={job} />} />
    {job.state === "running" && job.protection === "unprotected" ? (
      <Banner icon="warn" tone="loud">
        <span className="strong">A rank of this job has no mirror.</span> Training goes on; if that rank is lost now, the
        job falls back to its last micro-checkpoint
        {job.checkpoint_every_steps ? `, at most ${job.checkpoint_every_steps} steps` : ""}.
      </Banner>
    ) : null}
    <Figures>
      <Figure label="Committed step">
        <Quantity value={job.committed_step} as="count" />
      </Figure>
      <Figure label="Epoch">
        <Quantity value={job.epoch} as="count" />
      </Figure>
      <Figure label="Train loss">
        <Quantity value={job.loss} />
      </Figure>
      <Figure label="Validation loss">
        <Quantity value={job.validation_loss} />
      </Figure>
      <Figure label="Step time">
        <Quantity value={job.step_time_s} as="seconds" />
      </Figure>
      <Figure label="Goodput">
        <Quantity value={job.goodput} as="share" />
      </Figure>
      <Figure label="Samples">
        <Quantity value={job.samples_per_s} unit="/s" />
      </Figure>
    </Figures>
    <LossPanel job={job} />
    <RanksPanel job={job} />
    <div className="split">
      <EventsPanel job={job} />
      <SettingsPanel job={job} />
    </div>
  </>
);
