/** Jobs of the fake: one that is watched, one unprotected, and some that are over. */
import type { FleetNode, Job, JobEvent, LossPoint, NodeRef, Protection, RankRow } from "@/api/types";

import { digestOf, idOf, randomMake } from "./random";
import type { World } from "./world";
import { iso, must } from "./world";

/** Validation is done each so many steps. */
export const VALIDATE_EVERY_STEPS = 5;

export const nodeRef = (node: FleetNode): NodeRef => ({ id: node.id, name: node.name, grade: node.grade });

export const nodeNamed = (world: World, name: string): FleetNode =>
  must(
    [...world.nodes.values()].find((node) => node.name === name),
    `node ${name}`,
  );

/** The loss that a job of some speed has at a step, with its scatter. */
export function lossAt(step: number, drawn: number, speed = 420): number {
  return 2.35 + 4.2 * Math.exp(-step / speed) + 1.1 * Math.exp(-step / 2600) + (drawn - 0.5) * 0.16;
}

interface JobWish {
  number: number;
  name: string;
  state: Job["state"];
  steps: number;
  owners: string[];
  mirror: string | null;
  protection: Protection;
  /** Steps at which an epoch began. */
  epochs: number[];
}

const WISHES: readonly JobWish[] = [
  { number: 1, name: "gpt", state: "running", steps: 1240, owners: ["n1", "n2", "n3", "n4"], mirror: "n5", protection: "protected", epochs: [0, 402, 871] },
  { number: 2, name: "llama-sft", state: "running", steps: 388, owners: ["n6", "n7", "n8", "n10"], mirror: null, protection: "unprotected", epochs: [0, 211] },
  { number: 3, name: "vit-l16", state: "running", steps: 96, owners: ["n11", "n13"], mirror: "n12", protection: "catching_up", epochs: [0] },
  { number: 4, name: "bert-distil", state: "finished", steps: 2000, owners: [], mirror: null, protection: "unknown", epochs: [0, 900] },
  { number: 5, name: "probe-ddp", state: "failed", steps: 12, owners: [], mirror: null, protection: "unknown", epochs: [0] },
  { number: 6, name: "gpt-next", state: "submitted", steps: 0, owners: [], mirror: null, protection: "unknown", epochs: [] },
];

const epochAt = (epochs: readonly number[], step: number): number =>
  Math.max(1, epochs.filter((from) => from <= step).length);

function pointsMake(wish: JobWish): LossPoint[] {
  const random = randomMake(wish.number * 97);
  const points: LossPoint[] = [];
  for (let step = 1; step <= wish.steps; step += 1) {
    const loss = lossAt(step, random());
    const validated = step % VALIDATE_EVERY_STEPS === 0;
    points.push({
      epoch: epochAt(wish.epochs, step),
      step,
      loss,
      validation_loss: validated ? lossAt(step, random() * 0.4 + 0.3) + 0.07 : null,
      step_s: 0.41 + random() * 0.05,
    });
  }
  return points;
}

function ranksMake(world: World, wish: JobWish): RankRow[] {
  return wish.owners.map((name, rank) => {
    const open = wish.protection === "unprotected" && rank === 1;
    const mirror = wish.mirror ?? (open ? null : "n12");
    return {
      rank,
      member: `m-${rank}`,
      node: nodeRef(nodeNamed(world, name)),
      epoch_from: rank === 2 ? wish.epochs.length : 1,
      mirrors: mirror ? [{ member: `s-${rank}`, node: nodeRef(nodeNamed(world, mirror)) }] : [],
      mirror: mirror ? { member: `s-${rank}`, node: nodeRef(nodeNamed(world, mirror)) } : null,
      protection: open ? "unprotected" : wish.protection === "unprotected" ? "protected" : wish.protection,
      lag_steps: mirror ? (wish.protection === "catching_up" ? 14 : 0) : null,
    };
  });
}

function eventsMake(world: World, wish: JobWish): JobEvent[] {
  const told: (readonly [string, string, number | null, number | null])[] = [
    ["job_started", "Job started with all its ranks", 0, null],
    ["mirror_protects", "Mirror holds the rank's state", 9, 2],
    ...wish.epochs.slice(1).flatMap((step) => [
      ["epoch_began", "A new epoch is in force", step, null] as const,
      ["checkpoint", "Micro-checkpoint written", step + 18, null] as const,
    ]),
  ];
  return told
    .map(([kind, text, step, rank], index) => ({
      id: idOf("event", wish.number * 1000 + index),
      sequence: index + 1,
      at: iso(world.now - (wish.steps - (step ?? 0)) * 450),
      kind,
      epoch: step === null ? null : epochAt(wish.epochs, step),
      step,
      rank,
      member: null,
      values: {},
      text,
    }))
    .toReversed();
}

/** Fields that no screen of the fake turns on. */
const BOOKKEEPING = {
  arguments: [] as string[],
  attached: false,
  coordinators_wanted: 2,
  digest: digestOf("job"),
  directory: "/runs/fake",
  end_reason: "",
  ended_at: null,
  environment_names: [] as string[],
  fence: 1,
  phase: "",
  placement_warnings: [] as string[],
  seed: 7,
  stale: false,
  standbys: [] as string[],
  started_at: null,
  stop_reason: "",
  stop_requested_at: null,
  submitted_by: { kind: "person", id: idOf("user", 1), name: "Otto Brandt" },
};

export function jobsSeed(world: World): void {
  for (const wish of WISHES) {
    const points = pointsMake(wish);
    const last = points.at(-1);
    const running = wish.state === "running";
    const job: Job = {
      id: idOf("job", wish.number),
      name: wish.name,
      cluster: must(world.clusters[0], "cluster"),
      state: wish.state,
      world_size: Math.max(wish.owners.length, 2),
      standbys_wanted: 1,
      ...BOOKKEEPING,
      tenant: idOf("tenant", 1),
      script: "examples/gpt.py",
      epoch: wish.epochs.length,
      committed_step: last?.step ?? null,
      protection: running ? wish.protection : "unknown",
      loss: last?.loss ?? null,
      validation_loss: points.findLast((point) => point.validation_loss !== null)?.validation_loss ?? null,
      step_time_s: last?.step_s ?? null,
      samples_per_s: running ? 152.4 : null,
      goodput: running ? 0.9962 : null,
      checkpoint_every_steps: 20,
      leader: running ? "coordinator-a" : null,
      reported_at: last ? iso(world.now - 800) : null,
      created_at: iso(world.now - wish.steps * 450 - wish.number * 7_200_000),
    };
    world.jobs.set(job.id, job);
    world.losses.set(job.id, points);
    world.ranks.set(job.id, running ? ranksMake(world, wish) : []);
    world.jobEvents.set(job.id, eventsMake(world, wish));
    if (running) placeRanks(world, job, wish);
  }
}

function placeRanks(world: World, job: Job, wish: JobWish): void {
  wish.owners.forEach((name, rank) => {
    nodeNamed(world, name).rank_of.push({ job: job.id, job_name: job.name, rank });
  });
}
