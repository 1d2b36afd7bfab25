/** Swaps of the fake, one in each state that looks different. */
import type { ActorRef, ApprovalDetail, Swap, SwapEvent } from "@/api/types";

import { digestOf, idOf } from "./random";
import { nodeNamed, nodeRef } from "./seedJobs";
import type { World } from "./world";
import { iso, must } from "./world";

export const POLICY: ActorRef = { kind: "system", id: "policy", name: "risk policy" };
const COORDINATOR: ActorRef = { kind: "agent", id: "n1", name: "coordinator" };
export const OTTO: ActorRef = { kind: "person", id: idOf("user", 1), name: "Otto Brandt" };
export const ADA: ActorRef = { kind: "person", id: idOf("user", 2), name: "Ada Lindqvist" };

export const WAY = ["proposed", "planned", "awaiting_approval", "approved", "preparing", "verifying", "cutting_over", "watching", "completed"];

/** How long each state of the fake's swaps lasted, in seconds. */
const STAYS_S: Readonly<Record<string, number>> = {
  proposed: 0.3,
  planned: 0.2,
  awaiting_approval: 74,
  approved: 0.4,
  preparing: 21,
  verifying: 1.8,
  cutting_over: 0.6,
  watching: 44,
  taking_over: 0.2,
};

const ACTORS: Readonly<Record<string, ActorRef>> = {
  proposed: POLICY,
  approved: ADA,
  preparing: POLICY,
  verifying: COORDINATOR,
  cutting_over: COORDINATOR,
  watching: COORDINATOR,
  aborting: OTTO,
};

export const actorFor = (state: string): ActorRef => ACTORS[state] ?? { kind: "system", id: "driver", name: "swap driver" };

interface SwapWish {
  number: number;
  job: number;
  rank: number;
  source: string;
  target: string | null;
  path: string[];
  ageS: number;
  kind?: "unplanned";
  reason: string;
  failure?: { code: string; text: string };
  fromStep?: number;
  pauseMs?: number;
  proposer?: ActorRef;
  expired?: boolean;
}

const WISHES: readonly SwapWish[] = [
  { number: 1, job: 1, rank: 2, source: "n3", target: "n5", path: WAY.slice(0, 3), ageS: 95, reason: "n3 is high: ECC DRAM corrected at 27.4/min, above the high threshold of 20/min, and rising for 14 min." },
  { number: 2, job: 2, rank: 1, source: "n7", target: "n12", path: WAY.slice(0, 5), ageS: 120, reason: "n7 is medium: PCIe replays at 20.6/min. Moving the rank before the night run.", proposer: OTTO },
  { number: 3, job: 1, rank: 0, source: "n14", target: "n1", path: WAY.slice(0, 8), ageS: 140, reason: "n14 is critical: ECC DRAM corrected at 90.2/min.", fromStep: 1216, pauseMs: 41.3 },
  { number: 4, job: 1, rank: 1, source: "n15", target: "n2", path: WAY, ageS: 5400, reason: "n15 goes into maintenance: firmware.", fromStep: 871, pauseMs: 37.8, proposer: OTTO },
  { number: 5, job: 1, rank: 3, source: "n16", target: "n4", path: ["taking_over", "watching", "completed"], ageS: 9200, kind: "unplanned", reason: "The owner of rank 3 was lost in the backward of step 403.", fromStep: 402, pauseMs: 286 },
  { number: 6, job: 2, rank: 0, source: "n6", target: "n12", path: [...WAY.slice(0, 5), "aborting", "aborted"], ageS: 14_000, reason: "Trial of the plan on a healthy node.", proposer: OTTO },
  { number: 7, job: 3, rank: 0, source: "n11", target: "n12", path: [...WAY.slice(0, 6), "failed"], ageS: 22_000, reason: "n11 is medium: temperature at 81.2 °C.", failure: { code: "digest_mismatch", text: "Owner and mirror differ in 1 of 148 units at step 61 (layers.7.mlp.w2, momentum). The rank stayed on n11." } },
  { number: 8, job: 2, rank: 3, source: "n10", target: "n12", path: [...WAY.slice(0, 3), "refused"], ageS: 40_000, reason: "n10 is medium: one row of PCIe replays.", proposer: OTTO },
  { number: 9, job: 4, rank: 1, source: "n9", target: "n12", path: [...WAY.slice(0, 8), "deviated"], ageS: 90_000, reason: "n9 is high: no report in time.", fromStep: 900, pauseMs: 44.1, failure: { code: "band_left", text: "Validation loss 3.91 at step 915 is outside 3.52 ± 0.21; two points in a row." } },
];

function phasesOf(wish: SwapWish, now: number): Swap["phases"] {
  let at = now - wish.ageS * 1000;
  const entered = wish.path.map((state, index) => {
    const stay = (STAYS_S[state] ?? 1) * 1000;
    const last = index === wish.path.length - 1;
    const phase = {
      state,
      entered_at: iso(at),
      left_at: last ? null : iso(at + stay),
      actor: state === "proposed" ? (wish.proposer ?? POLICY) : actorFor(state),
      deadline_at: iso(at + (state === "awaiting_approval" ? 3_600_000 : 300_000)),
    };
    at += stay;
    return phase;
  });
  return entered;
}

export function allowedFor(state: string, operator: boolean): Swap["allowed"] {
  const unsent = WAY.indexOf(state) >= 0 && WAY.indexOf(state) < 4;
  const sent = ["preparing", "verifying", "cutting_over"].includes(state);
  if (!unsent && !sent && state !== "watching") return [];
  const reason = state === "watching" ? "The rank has changed hands; there is nothing left to abort. Swap it back instead." : operator ? null : "Needs the role operator.";
  return [{ action: unsent ? "withdraw" : "abort", enabled: reason === null, reason }];
}

function swapMake(world: World, wish: SwapWish): Swap {
  const job = must(world.jobs.get(idOf("job", wish.job)), "job");
  const state = must(wish.path.at(-1), "state");
  const planned = wish.kind !== "unplanned";
  const digest = planned ? digestOf(`plan ${wish.number}`) : null;
  const handed = wish.path.includes("watching");
  const middle = wish.fromStep ?? job.committed_step ?? 0;
  const centre = (world.losses.get(job.id) ?? []).findLast((point) => point.step <= middle && point.validation_loss !== null)?.validation_loss ?? 3;
  return {
    id: idOf("swap", wish.number),
    tenant: idOf("tenant", 1),
    evidence_digest: digestOf(`evidence ${wish.number}`),
    runtime_phase: "",
    waiting_for: "",
    abort_reason: "",
    state_at: iso(world.now - wish.ageS * 500),
    ended_at: null,
    job: { id: job.id, name: job.name },
    rank: wish.rank,
    kind: wish.kind ?? "planned",
    state,
    source_node: nodeRef(nodeNamed(world, wish.source)),
    target_node: wish.target ? nodeRef(nodeNamed(world, wish.target)) : null,
    source_member: `m-${wish.rank}`,
    target_member: wish.target ? "s-1" : "",
    proposer: wish.proposer ?? POLICY,
    reason: wish.reason,
    created_at: iso(world.now - wish.ageS * 1000),
    deadline_at: iso(world.now + 240_000),
    pause_ms: wish.pauseMs ?? null,
    pause_budget_ms: planned ? 500 : 2000,
    steps_lost: handed ? 0 : null,
    evidence: { node: wish.source, reason: wish.reason },
    plan: planned ? planMake(wish) : null,
    plan_digest: digest,
    approval: planned && wish.path.includes("awaiting_approval") ? idOf("approval", wish.number) : null,
    runtime_swap_id: wish.path.includes("preparing") ? `swap-${wish.number}` : null,
    stall_ms: !planned && wish.pauseMs ? wish.pauseMs * 0.6 : null,
    watch_from_step: wish.fromStep ?? null,
    watch_steps: 30,
    band: { series: "validation_loss", points: 20, center: centre, half_width: Math.max(0.05 * centre, 0.1), rule: "Line through the last 20 points (Theil-Sen), taken to the end of the watch; half width 5 scatters, at least 5 % of the centre." },
    failure: wish.failure ?? null,
    certificate: handed ? idOf("certificate", wish.number) : null,
    phases: phasesOf(wish, world.now),
    allowed: [],
  };
}

const planMake = (wish: SwapWish): Swap["plan"] => ({
  reservation: `${wish.target} for rank ${wish.rank}, until the swap ends`,
  blast_radius: "1 of 1 swaps in this job, 1 of 2 in rack-1, 1 of 4 in the tenant",
  document: {},
  constraints: [
    { name: "target_healthy", required: true, ok: true, text: `${wish.target} is low, reported 3 s ago` },
    { name: "failure_domain", required: true, ok: true, text: "no other rank of this job shares its power feed" },
    { name: "same_class", required: true, ok: true, text: "h100-sxm-8 on both sides" },
    { name: "mirror_protects", required: true, ok: true, text: "lag 0 steps" },
    { name: "attestation", required: false, ok: null, text: "no hardware root of trust is configured" },
  ],
});

export const eventOf = (swap: Swap, sequence: number, from: string | null, to: string, at: string): SwapEvent => ({
  id: idOf("event", 500_000 + Number.parseInt(swap.id.slice(-4), 16) * 100 + sequence),
  sequence,
  at,
  from_state: from,
  to_state: to,
  deadline_at: null,
  action: to === "watching" ? "take_force" : to,
  actor: to === "proposed" ? (swap.proposer ?? POLICY) : actorFor(to),
  detail: to === "planned" ? { target: swap.target_node?.name, digest: swap.plan_digest?.slice(0, 19) } : to === "watching" ? { step: swap.watch_from_step, pause_ms: swap.pause_ms } : {},
});

function approvalMake(world: World, swap: Swap, wish: SwapWish): ApprovalDetail {
  const decided = swap.phases.find(({ state }) => state === "approved" || state === "refused");
  const refused = wish.path.includes("refused");
  const executed = swap.phases.find(({ state }) => state === "watching");
  return {
    id: idOf("approval", wish.number),
    tenant: idOf("tenant", 1),
    subject_kind: "swap",
    subject_id: swap.id,
    summary: `Move rank ${wish.rank} of ${swap.job.name} from ${wish.source} to ${wish.target} at a step boundary. ${wish.reason} Training pauses for at most 500 ms; until the switch it can be aborted and the job stays on ${wish.source}.`,
    plan_digest: swap.plan_digest ?? "",
    evidence_digest: digestOf(`evidence ${wish.number}`),
    proposer: swap.proposer ?? POLICY,
    state: decided ? (refused ? "refused" : "approved") : "pending",
    created_at: swap.created_at,
    expires_at: iso(new Date(swap.created_at).getTime() + 3_600_000),
    decided_by: decided ? ADA : null,
    decided_at: decided?.entered_at ?? null,
    reason: refused ? "One replay burst is no trend; watch it until tomorrow." : "",
    executed_at: executed?.entered_at ?? null,
    may_decide: false,
    why_not: null,
    document: {
      risk_of_doing: "A pause of 38 to 290 ms, as measured in the last 5 swaps; no step is lost or repeated.",
      risk_of_not_doing: "n3 has failed within 6 h of such a trend in 4 of 11 cases; an unplanned loss stalls the job for 0.2 to 0.4 s while it is protected.",
      plan: { source: wish.source, target: wish.target, rank: wish.rank, watch_steps: 30, pause_budget_ms: 500 },
      evidence: { signal: "ecc_dram_corrected_per_min", value: 27.4, threshold: 20, source: "simulated", since: iso(world.now - 840_000) },
    },
    who_could: [{ id: ADA.id, name: ADA.name }],
  };
}

export function swapsSeed(world: World): void {
  for (const wish of WISHES) {
    const swap = swapMake(world, wish);
    world.swaps.set(swap.id, swap);
    if (swap.approval) world.approvals.set(swap.approval, approvalMake(world, swap, wish));
    const events = swap.phases.map((phase, index) =>
      eventOf(swap, index + 1, swap.phases[index - 1]?.state ?? null, phase.state, phase.entered_at ?? swap.created_at),
    );
    world.swapEvents.set(swap.id, events.toReversed());
    if (swap.target_node && !["completed", "aborted", "refused", "failed", "deviated"].includes(swap.state)) {
      nodeNamed(world, swap.target_node.name).reserved_for = `swap ${swap.id.slice(-4)}`;
    }
    if (swap.certificate) {
      world.certificates.set(swap.id, {
        id: swap.certificate,
        digest: digestOf(`certificate ${wish.number}`),
        verified: true,
        document: { version: 1, job: swap.job.name, rank: swap.rank, epoch: 3, step: swap.watch_from_step, units: 148, bytes: 1_860_000_000, steps_lost: 0, owner_digest: digestOf(`state ${wish.number}`), mirror_digest: digestOf(`state ${wish.number}`) },
      });
    }
  }
}
