import type { JobState } from "@/api/types";
import { words } from "@/format/numbers";
import type { TagTone } from "@/ui/Tag";
import { Tag } from "@/ui/Tag";

const TONES: Readonly<Record<JobState, TagTone>> = {
  submitted: "plain",
  starting: "active",
  running: "active",
  finished: "quiet",
  failed: "loud",
  stopped: "plain",
};

export const JobStateTag = ({ state }: { state: JobState }) => (
  <Tag tone={TONES[state]} moving={state === "running"}>
    {words(state)}
  </Tag>
);
