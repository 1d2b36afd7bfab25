/** A secret, the one time that it is shown: to be copied now, and nowhere to be had later. */
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { useState } from "react";

import { Dialog } from "@/ui/Dialog";

import styles from "./settings.module.css";

interface SecretOnceProps {
  title: string;
  secret: string;
  /** How it is used. */
  children: ReactNode;
  onClose: () => void;
}

export function SecretOnce({ title, secret, children, onClose }: SecretOnceProps) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setSaid("Copied.");
    } catch {
      setSaid("The browser does not let it be copied: select it and copy it by hand.");
    }
  };
  return (
    <Dialog title={title} onClose={onClose} firm>
      <div className="stack">
        <p className="strong">Copy it now: it is shown this once and kept nowhere.</p>
        <p className={styles.secret} data-testid="secret">
          {secret}
        </p>
        <div className="ink2">{children}</div>
        <div className="row wide wrap">
          <span role="status" className="ink2">
            {said}
          </span>
          <span className="row">
            <Button size="xs" data-autofocus onClick={() => void copy()}>
              Copy
            </Button>
            <Button size="xs" variant="default" onClick={onClose}>
              I have kept it
            </Button>
          </span>
        </div>
      </div>
    </Dialog>
  );
}
