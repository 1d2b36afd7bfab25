/** An amount against its limit, such as a pause against its budget. */
import type { ReactNode } from "react";

import styles from "./meter.module.css";

interface MeterProps {
  label: string;
  value: number | null;
  /** What the bar's full length stands for. */
  full: number;
  /** Where the limit or target is marked. */
  mark?: number | null;
  markLabel?: string;
  text: ReactNode;
}

const share = (value: number, full: number): number =>
  full > 0 ? Math.min(100, Math.max(0, (value / full) * 100)) : 0;

export function Meter({ label, value, full, mark, markLabel, text }: MeterProps) {
  const known = value !== null;
  return (
    <div className={styles.meter}>
      <div className="row wide">
        <span className="ink2">{label}</span>
        <span>{text}</span>
      </div>
      <div
        className={`${styles.track} ${known ? "" : "hatched"}`}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={full}
        aria-valuenow={known ? Math.min(value, full) : 0}
        aria-valuetext={known ? undefined : "unknown"}
      >
        {known ? <span className={styles.fill} style={{ width: `${share(value, full)}%` }} /> : null}
        {mark === null || mark === undefined ? null : (
          <span className={styles.mark} style={{ left: `${share(mark, full)}%` }} title={markLabel} />
        )}
      </div>
    </div>
  );
}
