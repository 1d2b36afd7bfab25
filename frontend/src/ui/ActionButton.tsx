/** A button that names its effect; one that cannot be used says why beside it. */
import { Button } from "@mantine/core";
import { useId } from "react";

import styles from "./action.module.css";

interface ActionButtonProps {
  label: string;
  effect?: string;
  onClick: () => void;
  /** Why it cannot be used now; it is disabled while this is set. */
  why?: string | null | undefined;
  primary?: boolean;
  full?: boolean;
}

export function ActionButton({ label, effect, onClick, why, primary = false, full = false }: ActionButtonProps) {
  const id = useId();
  const note = why ?? effect;
  return (
    <div className={full ? styles.full : styles.action}>
      <Button
        size="xs"
        fullWidth={full}
        variant={primary ? "filled" : "default"}
        disabled={Boolean(why)}
        onClick={onClick}
        aria-describedby={note ? id : undefined}
      >
        {label}
      </Button>
      {note ? (
        <p id={id} className={styles.note}>
          {note}
        </p>
      ) : null}
    </div>
  );
}
