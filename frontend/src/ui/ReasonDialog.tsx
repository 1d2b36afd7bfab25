/** Asks once more before something happens, with the reason that goes into the audit. */
import { Textarea } from "@mantine/core";
import type { ReactNode } from "react";
import { useState } from "react";

import { Dialog, DialogForm } from "./Dialog";

/** The longest reason that is taken wherever one is asked for. */
const REASON_CHARACTERS_MAX = 500;

interface ReasonDialogProps {
  onClose: () => void;
  title: string;
  /** What will happen, in a sentence. */
  effect: ReactNode;
  confirm: string;
  required?: boolean;
  busy: boolean;
  /** What went wrong with the last attempt. */
  error?: string | null;
  onConfirm: (reason: string) => void;
  children?: ReactNode;
}

export function ReasonDialog(props: ReasonDialogProps) {
  const { title, effect, confirm, required = true, busy, error = null, onConfirm, onClose, children } = props;
  const [reason, setReason] = useState("");
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        confirm={confirm}
        busy={busy}
        error={error}
        disabled={required && reason.trim() === ""}
        onConfirm={() => onConfirm(reason.trim())}
        onClose={onClose}
      >
        <div className="ink2">{effect}</div>
        {children}
        <Textarea
          label={required ? "Reason" : "Reason (optional)"}
          description="Kept in the audit with your name."
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          rows={3}
          maxLength={REASON_CHARACTERS_MAX}
          data-autofocus
        />
      </DialogForm>
    </Dialog>
  );
}
