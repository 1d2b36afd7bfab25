import { Dialog } from "@/ui/Dialog";

import styles from "./frame.module.css";
import type { Shortcut } from "./shortcuts";

interface KeysProps {
  keys: readonly Shortcut[];
  onClose: () => void;
}

export default function Keys({ keys, onClose }: KeysProps) {
  const all = [{ keys: "Ctrl K", label: "Find a node, job or swap" }, ...keys];
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl className={styles.keys}>
        {all.map(({ keys: pressed, label }) => (
          <div key={pressed}>
            <dt>{label}</dt>
            <dd>
              {pressed.split(" ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
