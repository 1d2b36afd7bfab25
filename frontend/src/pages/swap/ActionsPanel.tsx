import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { swapAbort } from "@/api/commands";
import { swapQuery } from "@/api/queries";
import type { AllowedAction, Swap } from "@/api/types";
import { ActionButton } from "@/ui/ActionButton";
import { Panel } from "@/ui/Panel";
import { ReasonDialog } from "@/ui/ReasonDialog";

/** What giving up does, in words that name who keeps what. */
const effectOf = (swap: Swap): string => `The job stays on ${swap.source_node?.name ?? "its source"}; nothing changes for it.`;

const LABELS: Readonly<Record<string, string>> = { abort: "Abort this swap", withdraw: "Withdraw this swap" };

export function ActionsPanel({ swap }: { swap: Swap }) {
  const [open, setOpen] = useState<AllowedAction | null>(null);
  const offered = swap.allowed.filter(({ action }) => action in LABELS);
  return (
    <Panel title="What can be done">
      {offered.length === 0 ? (
        <p className="dim">Nothing: this swap has ended.</p>
      ) : (
        <div className="stack">
          {offered.map((action) => (
            <ActionButton
              key={action.action}
              label={LABELS[action.action] ?? action.action}
              effect={effectOf(swap)}
              why={action.enabled ? null : (action.reason ?? "It cannot be done now.")}
              onClick={() => setOpen(action)}
              full
            />
          ))}
        </div>
      )}
      {open ? <AbortDialog swap={swap} label={LABELS[open.action] ?? ""} onClose={() => setOpen(null)} /> : null}
    </Panel>
  );
}

interface AbortDialogProps {
  swap: Swap;
  label: string;
  onClose: () => void;
}

function AbortDialog({ swap, label, onClose }: AbortDialogProps) {
  const client = useQueryClient();
  const abort = useMutation({
    mutationFn: (reason: string) => swapAbort(swap.id, reason),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: swapQuery(swap.id).queryKey });
      onClose();
    },
  });
  return (
    <ReasonDialog
      onClose={onClose}
      title={label}
      effect={`${effectOf(swap)} The spare goes back to the reserve. If the switch is already being voted on, it may still take force.`}
      confirm={label}
      busy={abort.isPending}
      error={abort.error?.message ?? null}
      onConfirm={(reason) => abort.mutate(reason)}
    />
  );
}
