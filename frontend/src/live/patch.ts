/** Lays a delta over what the cache holds, so that it is seen before anything is read anew. */
import type { InfiniteData, QueryClient } from "@tanstack/react-query";

import type { Job, LossPoint, Overview, Page } from "@/api/types";

import type { Delta } from "./connection";

type Fields = Record<string, unknown> & { id?: unknown };

/** The most points of a loss curve that are kept by appending; the next read brings the rest. */
const LOSS_POINTS_MAX = 20_000;

/** Takes over only the fields that the row already has: a delta never widens what is cached. */
function merged<T extends object>(row: T, fields: Fields): T {
  const known = Object.entries(fields).filter(([name]) => name in row);
  return { ...row, ...Object.fromEntries(known) };
}

const patchRows = <T extends { id: string }>(rows: T[], fields: Fields): T[] =>
  rows.map((row) => (row.id === fields.id ? merged(row, fields) : row));

/** Patches an object's own entry and its row in each list of its kind. */
function patchKind(client: QueryClient, kind: string, fields: Fields): void {
  client.setQueryData<{ id: string }>([kind, fields.id, "detail"], (old) => old && merged(old, fields));
  client.setQueriesData<InfiniteData<Page<{ id: string }>>>({ queryKey: [kind, "list"] }, (old) =>
    old && {
      ...old,
      pages: old.pages.map((page) => ({ ...page, results: patchRows(page.results, fields) })),
    },
  );
}

function pointOf(fields: Fields): LossPoint | null {
  const { epoch, step, loss = null, validation_loss = null, step_s = null } = fields;
  if (typeof epoch !== "number" || typeof step !== "number") return null;
  return { epoch, step, loss, validation_loss, step_s } as LossPoint;
}

const isSame = (one: LossPoint, other: LossPoint): boolean =>
  one.epoch === other.epoch && one.step === other.step;

/** The same point told again replaces itself: the key is (epoch, step). */
function withPoint(points: LossPoint[], point: LossPoint): LossPoint[] {
  const last = points.at(-1);
  if (!last || last.step < point.step) return [...points, point].slice(-LOSS_POINTS_MAX);
  return [...points.filter((one) => !isSame(one, point)), point];
}

/** A curve of which steps were not told is read anew, at most so often. */
const CURVE_WAIT_MS = 3_000;

/** Jobs whose curve was just read anew: whether another gap was seen meanwhile. */
const curvesRead = new Map<string, boolean>();

/** Progress may be told of the latest step alone: those between are at the server. */
function curveComplete(client: QueryClient, point: LossPoint, id: string): void {
  const queryKey = ["job", id, "loss"];
  const last = client.getQueryData<{ points: LossPoint[] }>(queryKey)?.points.at(-1);
  if (!last || point.step <= last.step + 1) return;
  if (curvesRead.has(id)) {
    curvesRead.set(id, true);
    return;
  }
  curvesRead.set(id, false);
  void client.invalidateQueries({ queryKey });
  setTimeout(() => {
    const again = curvesRead.get(id);
    curvesRead.delete(id);
    if (again) void client.invalidateQueries({ queryKey });
  }, CURVE_WAIT_MS);
}

/** The steps that progress tells of: since the delta before, or the latest alone. */
function pointsOf(fields: Fields): LossPoint[] {
  const told = Array.isArray(fields.points) ? (fields.points as Fields[]) : [fields];
  return told.flatMap((one) => pointOf(one) ?? []);
}

function patchJob(client: QueryClient, fields: Fields): void {
  const { step_s, points: _points, ...rest } = fields;
  // a step without a validation does not make the last validation unknown
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  const job: Fields = {
    ...known,
    ...(typeof step_s === "number" ? { step_time_s: step_s } : {}),
    // progress is told because a report came
    reported_at: new Date().toISOString(),
    stale: false,
  };
  patchKind(client, "job", job);
  client.setQueriesData<Overview>(
    { queryKey: ["overview"] },
    (old) => old && { ...old, jobs: patchRows<Job>(old.jobs, job) },
  );
  const points = pointsOf(fields);
  if (!points[0]) return;
  curveComplete(client, points[0], String(fields.id));
  client.setQueryData<{ points: LossPoint[] }>(
    ["job", fields.id, "loss"],
    (old) => old && { ...old, points: points.reduce(withPoint, old.points) },
  );
}

/** What has to be read anew after a change of a kind, beyond what the delta itself says. */
const FOLLOW_UPS: Readonly<Record<string, readonly string[]>> = {
  swap: ["overview", "approval", "audit", "layout", "brake"],
  approval: ["overview", "swap", "audit"],
  node: ["overview", "layout"],
  job: ["overview", "layout"],
  brake: ["overview", "audit"],
  limits: ["audit"],
  hold: ["audit"],
};

export function deltaApply(client: QueryClient, delta: Delta): void {
  const fields: Fields = delta.payload;
  const kind = delta.kind.split(".", 1)[0] ?? "";
  if (delta.kind === "job.progress") {
    patchJob(client, fields);
    return;
  }
  if (typeof fields.id === "string") patchKind(client, kind, fields);
  for (const follow of [kind, ...(FOLLOW_UPS[kind] ?? [])]) {
    void client.invalidateQueries({ queryKey: [follow] });
  }
}
