/** The phases of a swap from left to right: what is behind, what runs, what is to come. */
import type { ReactNode } from "react";

import { exact, span, stopwatch } from "@/format/times";

import { Icon } from "./Icon";
import { useNow } from "./now";
import { useScrollable } from "./scrollable";
import styles from "./rail.module.css";

export type StepState = "done" | "current" | "ahead" | "stopped";

export interface RailStep {
  key: string;
  label: string;
  state: StepState;
  enteredAt: string | null;
  leftAt: string | null;
  deadlineAt: string | null;
  actor: string | null;
}

const seconds = (from: string, to: number): number => (to - new Date(from).getTime()) / 1000;

function elapsed(step: RailStep, now: number): string {
  if (!step.enteredAt) return "";
  const until = step.leftAt ? new Date(step.leftAt).getTime() : now;
  const passed = seconds(step.enteredAt, until);
  if (step.state === "current") return stopwatch(passed);
  return passed < 1 ? `${Math.max(0, Math.round(passed * 1000))} ms` : span(passed);
}

function deadline(step: RailStep, now: number): ReactNode {
  if (step.state !== "current" || !step.deadlineAt) return null;
  const left = -seconds(step.deadlineAt, now);
  return (
    <span title={exact(step.deadlineAt)}>
      {left > 0 ? `deadline in ${span(left)}` : `deadline passed ${span(left)} ago`}
    </span>
  );
}

export function PhaseRail({ steps }: { steps: readonly RailStep[] }) {
  const now = useNow();
  const scrollable = useScrollable<HTMLOListElement>();
  return (
    <ol className={styles.rail} aria-label="Phases" {...scrollable}>
      {steps.map((step) => (
        <li key={step.key} className={styles[step.state]} aria-current={step.state === "current" ? "step" : undefined}>
          <span className={styles.line}>
            <span className={styles.dot}>
              {step.state === "done" ? <Icon name="check" size={10} /> : null}
              {step.state === "stopped" ? <Icon name="cross" size={10} /> : null}
            </span>
          </span>
          <span className={styles.label}>{step.label}</span>
          <span className={styles.time} title={step.enteredAt ? exact(step.enteredAt) : undefined}>
            {elapsed(step, now)}
          </span>
          <span className={styles.note}>{step.actor}</span>
          <span className={styles.note}>{deadline(step, now)}</span>
        </li>
      ))}
    </ol>
  );
}

/** The same in a row of a table: how far along, in bars and in words. */
export function MiniRail({ done, of, label }: { done: number; of: number; label: string }) {
  return (
    <span className={styles.mini}>
      <span className={styles.bars} aria-hidden="true">
        {Array.from({ length: of }, (_, index) => (
          <i key={index} className={index < done ? styles.on : index === done ? styles.at : ""} />
        ))}
      </span>
      <span>{label}</span>
    </span>
  );
}
