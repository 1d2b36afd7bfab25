import { useMutation, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useNavigate } from "react-router";

import { swapPropose } from "@/api/commands";
import { sparesQuery } from "@/api/queries";
import type { Job, RankRow } from "@/api/types";
import { paths } from "@/app/paths";
import { ReasonDialog } from "@/ui/ReasonDialog";

import styles from "./job.module.css";

interface ProposeDialogProps {
  job: Job;
  rank: RankRow;
  onClose: () => void;
}

export function ProposeDialog({ job, rank, onClose }: ProposeDialogProps) {
  const navigate = useNavigate();
  const field = useId();
  const [target, setTarget] = useState("");
  // one key per opened form: pressing twice proposes once
  const [key] = useState(() => crypto.randomUUID());
  const spares = useQuery(sparesQuery(rank.node?.id ?? ""));
  const propose = useMutation({
    mutationFn: (reason: string) =>
      swapPropose({ job: job.id, rank: rank.rank, target_node: target || null, reason }, key),
    onSuccess: (swap) => void navigate(paths.swap(swap.id)),
  });
  return (
    <ReasonDialog
      onClose={onClose}
      title={`Propose a swap of rank ${rank.rank}`}
      effect={`The rank would move away from ${rank.node?.name ?? "its owner"} at a step boundary. Nothing happens before a second person has approved the plan.`}
      confirm="Propose"
      busy={propose.isPending}
      error={propose.error?.message ?? null}
      onConfirm={(reason) => propose.mutate(reason)}
    >
      <div>
        <label htmlFor={field} className="strong">
          Target
        </label>
        <select id={field} className={styles.target} value={target} onChange={(event) => setTarget(event.currentTarget.value)}>
          <option value="">Best spare, chosen by the plan</option>
          {(spares.data ?? []).map((spare) => (
            <option key={spare.id} value={spare.id} disabled={spare.refusal !== null}>
              {[spare.name, spare.refusal ?? spare.drawbacks.join(", ")].filter(Boolean).join(": ")}
            </option>
          ))}
        </select>
      </div>
    </ReasonDialog>
  );
}
