import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";

import { jobQuery } from "@/api/queries";
import type { Job as Data } from "@/api/types";
import { PageHead } from "@/app/PageHead";
import { paths } from "@/app/paths";
import { View } from "@/app/View";
import { Banner } from "@/ui/Banner";
import { Figure, Figures } from "@/ui/Panel";
import { Quantity } from "@/ui/Quantity";
import { PageSkeleton } from "@/ui/States";
import { Time } from "@/ui/Time";
import { isSilent, JobProtection, Told } from "@/parts/JobReport";
import { JobStateTag } from "@/parts/JobStateTag";

import { EventsPanel } from "./EventsPanel";
import { LossPanel } from "./LossPanel";
import { RanksPanel } from "./RanksPanel";
import { SettingsPanel } from "./SettingsPanel";

/** Silence is no change that the live connection tells of, so that it is asked for this often. */
const SILENCE_LOOK_MS = 15_000;

export default function Job() {
  const { id = "" } = useParams();
  const query = useQuery({ ...jobQuery(id), refetchInterval: SILENCE_LOOK_MS });
  return (
    <View what="This job" page="Job" query={query} loading={<PageSkeleton />}>
      {(job) => <Loaded job={job} />}
    </View>
  );
}

const Tags = ({ job }: { job: Data }) => (
  <>
    <JobStateTag state={job.state} />
    {job.state === "running" ? <JobProtection job={job} /> : null}
  </>
);

/** What has to be known before the figures are read: that they are old, or that a loss now costs steps. */
const Warnings = ({ job }: { job: Data }) => (
  <>
    {isSilent(job) ? (
      <Banner icon="clock" tone="stale">
        <span className="strong">No report in time.</span>{" "}
        {job.reported_at ? (
          <>
            The last one came <Time at={job.reported_at} />; the figures are from then.
          </>
        ) : (
          "None has come yet."
        )}{" "}
        The job may well go on training.
      </Banner>
    ) : null}
    {job.state === "running" && job.protection === "unprotected" && !job.stale ? (
      <Banner icon="warn" tone="loud">
        <span className="strong">A rank of this job has no mirror.</span> Training goes on; if that rank is lost now, the
        job falls back to its last micro-checkpoint
        {job.checkpoint_every_steps ? `, at most ${job.checkpoint_every_steps} steps` : ""}.
      </Banner>
    ) : null}
  </>
);

const LatestFigures = ({ job }: { job: Data }) => (
  <Figures>
    <Figure label="Committed step">
      <Told job={job}>
        <Quantity value={job.committed_step} as="count" />
      </Told>
    </Figure>
    <Figure label="Epoch">
      <Told job={job}>
        <Quantity value={job.epoch} as="count" />
      </Told>
    </Figure>
    <Figure label="Train loss">
      <Told job={job}>
        <Quantity value={job.loss} />
      </Told>
    </Figure>
    <Figure label="Validation loss">
      <Told job={job}>
        <Quantity value={job.validation_loss} />
      </Told>
    </Figure>
    <Figure label="Step time">
      <Told job={job}>
        <Quantity value={job.step_time_s} as="seconds" />
      </Told>
    </Figure>
    <Figure label="Goodput">
      <Told job={job}>
        <Quantity value={job.goodput} as="share" />
      </Told>
    </Figure>
    <Figure label="Samples">
      <Told job={job}>
        <Quantity value={job.samples_per_s} unit="/s" />
      </Told>
    </Figure>
  </Figures>
);

const Loaded = ({ job }: { job: Data }) => (
  <>
    <PageHead title={job.name} parent={["Jobs", paths.jobs()]} id={job.id} tags={<Tags job={job} />} />
    <Warnings job={job} />
    <LatestFigures job={job} />
    <LossPanel job={job} />
    <RanksPanel job={job} />
    <div className="split">
      <EventsPanel job={job} />
      <SettingsPanel job={job} />
    </div>
  </>
);
