/** What a running job last told, and that it is old where nothing was heard of it lately. */
import type { ReactNode } from "react";

import type { Job } from "@/api/types";
import { words } from "@/format/numbers";
import { ProtectionTag } from "@/ui/Protection";

import styles from "./parts.module.css";

export const isSilent = (job: Job): boolean => job.state === "running" && job.stale;

/** How well it is protected; of a job that does not run, its state, and unknown while it is silent. */
export const JobProtection = ({ job }: { job: Job }) =>
  job.state === "running" ? (
    <ProtectionTag value={job.stale ? "unknown" : job.protection} />
  ) : (
    <span className="dim">{words(job.state)}</span>
  );

/** A figure of the last report, hatched while that is old. */
export const Told = ({ job, children }: { job: Job; children: ReactNode }) =>
  isSilent(job) ? (
    <span className={styles.old} title="From the last report, which is too old to tell the present">
      {children}
    </span>
  ) : (
    children
  );
