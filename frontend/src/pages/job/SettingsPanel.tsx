import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { jobStop } from "@/api/commands";
import type { Job } from "@/api/types";
import { useSession } from "@/app/session";
import { ActionButton } from "@/ui/ActionButton";
import { Facts, Panel } from "@/ui/Panel";
import { Quantity } from "@/ui/Quantity";
import { ReasonDialog } from "@/ui/ReasonDialog";
import { Unknown } from "@/ui/Tag";
import { Time } from "@/ui/Time";

function whyNotStop(job: Job, operator: boolean): string | null {
  if (!operator) return "Needs the role operator.";
  if (job.stop_requested_at) return "Its end was asked for.";
  return job.state === "running" || job.state === "starting" ? null : "It is not running.";
}

/** What is left of a job whose processes are all ended at once. */
function whatIsLeft(job: Job): string {
  if (job.attached) return "Its node's agent has `hotswap run` end it. What the script has not saved is gone.";
  return job.checkpoint_every_steps
    ? `Ends all its processes. Left is the last micro-checkpoint, written every ${job.checkpoint_every_steps} steps.`
    : "Ends all its processes. It writes no micro-checkpoints: what the script has not saved is gone.";
}

export function SettingsPanel({ job }: { job: Job }) {
  const { may } = useSession();
  const [open, setOpen] = useState(false);
  return (
    <Panel title="Job">
      <Facts
        items={[
          ["Cluster", job.cluster.name],
          ["Script", <span key="script" className="mono" title={job.script}>{job.script.split("/").at(-1)}</span>],
          ["Ranks", <Quantity key="ranks" value={job.world_size} as="count" />],
          ["Standbys wanted", <Quantity key="standbys" value={job.standbys_wanted} as="count" />],
          [
            "Micro-checkpoint",
            job.checkpoint_every_steps ? `every ${job.checkpoint_every_steps} steps` : <span className="dim">none</span>,
          ],
          ["Leader", job.leader ?? <Unknown key="leader" />],
          ["Submitted", <Time key="created" at={job.created_at} />],
          ["Last report", <Time key="reported" at={job.reported_at} />],
        ]}
      />
      <div style={{ marginTop: 14 }}>
        <ActionButton
          label="Stop the job"
          effect={whatIsLeft(job)}
          why={whyNotStop(job, may("operator"))}
          onClick={() => setOpen(true)}
        />
      </div>
      {open ? <StopDialog job={job} onClose={() => setOpen(false)} /> : null}
    </Panel>
  );
}

function StopDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const client = useQueryClient();
  const stop = useMutation({
    mutationFn: (reason: string) => jobStop(job.id, reason),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["job"] });
      onClose();
    },
  });
  return (
    <ReasonDialog
      onClose={onClose}
      title={`Stop ${job.name}`}
      effect={whatIsLeft(job)}
      confirm="Stop the job"
      busy={stop.isPending}
      error={stop.error?.message ?? null}
      onConfirm={(reason) => stop.mutate(reason)}
    />
  );
}
