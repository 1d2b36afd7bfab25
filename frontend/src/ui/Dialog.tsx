/** What all dialogs share: the frame, the line of what went wrong, and the two buttons. */
import { Button, Modal } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";

interface DialogProps {
  title: string;
  onClose: () => void;
  /** Closes by its buttons alone: something in it is shown only once. */
  firm?: boolean;
  children: ReactNode;
}

export const Dialog = ({ title, onClose, firm = false, children }: DialogProps) => (
  <Modal
    opened
    onClose={onClose}
    title={title}
    centered
    radius={12}
    closeOnClickOutside={!firm}
    closeOnEscape={!firm}
    withCloseButton={!firm}
    closeButtonProps={{ "aria-label": "Close" }}
    transitionProps={{ duration: 90 }}
  >
    {children}
  </Modal>
);

interface DialogFormProps {
  confirm: string;
  busy: boolean;
  disabled?: boolean;
  /** What went wrong with the last attempt. */
  error: string | null;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Fields with *Cancel* and a button that names what it does; Enter is the latter. */
export function DialogForm(props: DialogFormProps) {
  const { confirm, busy, disabled = false, error, onConfirm, onClose, children } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onConfirm();
  };
  return (
    <form className="stack" onSubmit={submit}>
      {children}
      {error ? (
        <p role="alert" className="strong">
          {error}
        </p>
      ) : null}
      <div className="row" style={{ justifyContent: "flex-end" }}>
        <Button size="xs" variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button size="xs" type="submit" loading={busy} disabled={disabled}>
          {confirm}
        </Button>
      </div>
    </form>
  );
}

interface ConfirmDialogProps {
  title: string;
  /** What will happen, in a sentence. */
  effect: ReactNode;
  confirm: string;
  busy: boolean;
  error: string | null;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks once more before something happens that takes no reason. */
export const ConfirmDialog = ({ title, effect, ...form }: ConfirmDialogProps) => (
  <Dialog title={title} onClose={form.onClose}>
    <DialogForm {...form}>
      <div className="ink2">{effect}</div>
    </DialogForm>
  </Dialog>
);
