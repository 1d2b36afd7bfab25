/** How the fake's world goes on: jobs step, a swap that was approved runs through its phases. */
import type { ActorRef, AuditEntry, LossPoint, Swap } from "@/api/types";

import { digestOf, idOf, randomMake } from "./random";
import { fleetSeed } from "./seedFleet";
import { jobsSeed, lossAt, VALIDATE_EVERY_STEPS } from "./seedJobs";
import { actorFor, eventOf, swapsSeed, WAY } from "./seedSwaps";
import { settingsSeed } from "./seedSettings";
import type { World } from "./world";
import { iso } from "./world";

const scatter = randomMake(4242);

const person = (number: number, username: string, name: string, roles: [World["people"][number]["tenants"][number]["roles"], World["people"][number]["tenants"][number]["roles"]?]) => ({
  id: idOf("user", number),
  username,
  display_name: name,
  kind: "person" as const,
  csrf_token: "fake",
  scopes: null,
  tenants: [
    { id: idOf("tenant", 1), slug: "aurora", name: "aurora", roles: roles[0] },
    ...(roles[1] ? [{ id: idOf("tenant", 2), slug: "borealis", name: "borealis", roles: roles[1] }] : []),
  ],
});

/** `large` adds a second cluster with ten thousand nodes. */
export function worldMake(now: number, large = false): World {
  const world: World = {
    now,
    me: null,
    people: [
      person(1, "otto", "Otto Brandt", [["operator"]]),
      person(2, "ada", "Ada Lindqvist", [["viewer", "approver", "auditor"], ["viewer"]]),
      person(3, "vera", "Vera Ito", [["viewer"]]),
      person(4, "root", "Ruth Okafor", [["operator", "approver", "auditor", "admin"]]),
    ],
    clusters: [],
    nodes: new Map(),
    signals: new Map(),
    nodeEvents: new Map(),
    jobs: new Map(),
    losses: new Map(),
    ranks: new Map(),
    jobEvents: new Map(),
    swaps: new Map(),
    swapEvents: new Map(),
    certificates: new Map(),
    approvals: new Map(),
    audit: [],
    brake: { tenant: idOf("tenant", 1), engaged: false, engaged_by: null, reason: null, at: null },
    limits: { per_job: 1, per_rack: 1, per_tenant: 4 },
    holds: [],
    tokens: [],
    agents: [],
    webhooks: [],
    deliveries: [],
    tell: () => undefined,
  };
  fleetSeed(world, large);
  jobsSeed(world);
  swapsSeed(world);
  settingsSeed(world);
  const events = [...world.swaps.values()].flatMap((swap) => (world.swapEvents.get(swap.id) ?? []).map((event) => ({ swap, event })));
  for (const { swap, event } of events.toSorted((one, other) => one.event.at.localeCompare(other.event.at))) {
    auditAdd(world, event.actor, `swap.${event.action}`, `swap:${swap.id}`, { from: event.from_state, to: event.to_state, ...event.detail }, event.at);
  }
  return world;
}

export function auditAdd(world: World, actor: ActorRef, action: string, subject: string, detail: AuditEntry["detail"], at = iso(world.now)): void {
  const sequence = world.audit.length + 1;
  world.audit.push({ id: sequence, tenant: idOf("tenant", 1), body: "", sequence, at, actor, action, subject, detail, digest: digestOf(`audit ${sequence}`) });
}

/** Moves a swap on, with its event, its entry and its delta. */
export function swapMove(world: World, swap: Swap, to: string, actor: ActorRef = actorFor(to)): void {
  const from = swap.state;
  const at = iso(world.now);
  const open = swap.phases.at(-1);
  if (open) open.left_at = at;
  swap.state = to;
  swap.phases.push({ state: to, entered_at: at, left_at: null, actor, deadline_at: iso(world.now + 120_000) });
  const events = world.swapEvents.get(swap.id) ?? [];
  const event = { ...eventOf(swap, events.length + 1, from, to, at), actor };
  world.swapEvents.set(swap.id, [event, ...events]);
  auditAdd(world, actor, `swap.${event.action}`, `swap:${swap.id}`, { from, to });
  world.tell("swap.changed", { id: swap.id, state: to, pause_ms: swap.pause_ms });
}

function jobStep(world: World, id: string): void {
  const job = world.jobs.get(id);
  const points = world.losses.get(id);
  if (!job || !points || job.state !== "running") return;
  const step = (job.committed_step ?? 0) + 1;
  const validated = step % VALIDATE_EVERY_STEPS === 0;
  const point: LossPoint = {
    epoch: job.epoch ?? 1,
    step,
    loss: lossAt(step, scatter()),
    validation_loss: validated ? lossAt(step, scatter() * 0.4 + 0.3) + 0.07 : null,
    step_s: 0.41 + scatter() * 0.05,
  };
  points.push(point);
  Object.assign(job, { committed_step: step, loss: point.loss, step_time_s: point.step_s, reported_at: iso(world.now) });
  if (point.validation_loss !== null) job.validation_loss = point.validation_loss;
  world.tell("job.progress", { id, ...point, protection: job.protection, committed_step: step });
}

function swapStep(world: World, swap: Swap): void {
  const next = WAY[WAY.indexOf(swap.state) + 1];
  if (["approved", "preparing", "verifying"].includes(swap.state)) swapMove(world, swap, next ?? "");
  else if (swap.state === "cutting_over") {
    const job = world.jobs.get(swap.job.id);
    swap.watch_from_step = job?.committed_step ?? 0;
    swap.pause_ms = 39.4;
    swap.steps_lost = 0;
    if (job) job.epoch = (job.epoch ?? 0) + 1;
    swapMove(world, swap, "watching");
  } else if (swap.state === "watching") {
    const done = (world.jobs.get(swap.job.id)?.committed_step ?? 0) - (swap.watch_from_step ?? 0);
    if (done >= (swap.watch_steps ?? 0)) swapMove(world, swap, "completed");
  }
}

/** One second of the fake's life. */
export function tick(world: World, ms: number): void {
  world.now += ms;
  for (const id of world.jobs.keys()) jobStep(world, id);
  for (const swap of world.swaps.values()) swapStep(world, swap);
}
