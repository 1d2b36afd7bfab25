import { useMutation, useQueryClient } from "@tanstack/react-query";

import { isProblem } from "@/api/client";
import { approvalApprove, approvalRefuse } from "@/api/commands";
import type { ApprovalDetail } from "@/api/types";
import { exact } from "@/format/times";
import { CopyId } from "@/ui/CopyId";
import { ReasonDialog } from "@/ui/ReasonDialog";

interface DecideDialogProps {
  approval: ApprovalDetail;
  decision: "approve" | "refuse";
  onClose: () => void;
}

/** What went wrong; a decision that came second says who was first, and when. */
export function decideErrorText(error: Error | null): string | null {
  if (!error) return null;
  if (isProblem(error, 409) && error.body.decided_by) {
    const { name } = actorOf(error.body.decided_by);
    const when = error.body.decided_at ? ` at ${exact(error.body.decided_at)}` : "";
    return `Already decided by ${name}${when}. Nothing was changed by you.`;
  }
  return error.message;
}

const actorOf = (actor: string | { name: string }): { name: string } =>
  typeof actor === "string" ? { name: actor } : actor;

export function DecideDialog({ approval, decision, onClose }: DecideDialogProps) {
  const client = useQueryClient();
  const approving = decision === "approve";
  const decide = useMutation({
    mutationFn: (reason: string) =>
      (approving ? approvalApprove : approvalRefuse)(approval.id, approval.plan_digest, reason),
    onSuccess: onClose,
    // also after a conflict: what is on screen is then behind
    onSettled: () => {
      for (const kind of ["approval", "swap", "overview"]) void client.invalidateQueries({ queryKey: [kind] });
    },
  });
  const label = approving ? "Approve this plan" : "Refuse this plan";
  return (
    <ReasonDialog
      onClose={onClose}
      title={label}
      effect={approval.summary}
      confirm={approving ? "Approve" : "Refuse"}
      required={!approving}
      busy={decide.isPending}
      error={decideErrorText(decide.error)}
      onConfirm={(reason) => decide.mutate(reason)}
    >
      <p className="row small dim">
        Your decision is bound to this very plan: <CopyId value={approval.plan_digest} label="digest" />
      </p>
    </ReasonDialog>
  );
}
