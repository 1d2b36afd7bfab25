/** Whether anything is wrong, and whether it needs the viewer: what the first line says. */
import type { Overview } from "@/api/types";

export interface Remark {
  key: string;
  text: string;
  /** Waits for the viewer; the others are only worth knowing. */
  mine: boolean;
}

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

function approvals(data: Overview): Remark[] {
  const waiting = data.approvals_waiting_for_me;
  if (waiting === 0) return [];
  return [{ key: "approvals", text: `${plural(waiting, "approval waits", "approvals wait")} for you`, mine: true }];
}

function jobs(data: Overview): Remark[] {
  const running = data.jobs.filter(({ state }) => state === "running");
  return running
    .filter(({ protection }) => protection === "unprotected" || protection === "unknown")
    .map(({ id, name, protection }) => ({
      key: `job ${id}`,
      text: protection === "unprotected" ? `${name} is unprotected` : `protection of ${name} is unknown`,
      mine: false,
    }));
}

function nodes(data: Overview): Remark[] {
  const remarks: Remark[] = [];
  for (const grade of ["critical", "high"] as const) {
    const count = data.nodes_by_grade[grade] ?? 0;
    if (count > 0) remarks.push({ key: grade, text: `${plural(count, "node is", "nodes are")} ${grade}`, mine: false });
  }
  const unknown = data.nodes_by_grade.unknown ?? 0;
  if (unknown > 0) {
    remarks.push({ key: "unknown", text: `${plural(unknown, "node has", "nodes have")} an unknown grade`, mine: false });
  }
  return remarks;
}

function spares(data: Overview): Remark[] {
  const { percent, target_percent: target } = data.spares;
  if (percent === null || target === null || percent >= target) return [];
  return [{ key: "spares", text: "fewer spares stand by than should", mine: false }];
}

/** What is to be said, what waits for the viewer first; empty when all is quiet. */
export const remarksOf = (data: Overview): Remark[] => [
  ...approvals(data),
  ...jobs(data),
  ...nodes(data),
  ...spares(data),
];

/** The remarks as one sentence. */
export function sentenceOf(remarks: readonly Remark[]): string {
  if (remarks.length === 0) return "All quiet. Nothing needs you.";
  const text = remarks.map((remark) => remark.text).join(", ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
