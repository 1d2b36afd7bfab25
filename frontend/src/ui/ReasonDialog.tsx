/** Asks once more before something happens, with the reason that goes into the audit. */
import { Button, Modal, Textarea } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { useState } from "react";

/** The longest reason that is taken. */
const REASON_CHARACTERS_MAX = 2000;

interface ReasonDialogProps {
  opened: boolean;
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
  const { opened, onClose, title } = props;
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      centered
      radius={12}
      closeButtonProps={{ "aria-label": "Close" }}
      transitionProps={{ duration: 90 }}
    >
      <ReasonForm {...props} />
    </Modal>
  );
}

function ReasonForm(props: ReasonDialogProps) {
  const { effect, confirm, required = true, busy, error, onConfirm, onClose, children } = props;
  const [reason, setReason] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onConfirm(reason.trim());
  };
  return (
    <form className="stack" onSubmit={submit}>
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
      {error ? (
        <p role="alert" className="strong">
          {error}
        </p>
      ) : null}
      <div className="row" style={{ justifyContent: "flex-end" }}>
        <Button size="xs" variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button size="xs" type="submit" loading={busy} disabled={required && reason.trim() === ""}>
          {confirm}
        </Button>
      </div>
    </form>
  );
}
