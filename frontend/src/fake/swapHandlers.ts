import { http, HttpResponse } from "msw";

import type { Swap } from "@/api/types";

import { isAllowed, notFound, page, problem, queryOf } from "./answers";
import { auditAdd, swapMove } from "./engine";
import { idOf } from "./random";
import { nodeRef } from "./seedJobs";
import { allowedFor, OTTO } from "./seedSwaps";
import type { World } from "./world";
import { iso } from "./world";

const newest = (one: Swap, other: Swap): number => other.created_at.localeCompare(one.created_at);

function matches(url: string, swap: Swap): boolean {
  const [state, kind, job, node] = ["state", "kind", "job", "node"].map((name) => queryOf(url, name));
  return (
    (!state || swap.state === state) &&
    (!kind || swap.kind === kind) &&
    (!job || swap.job.id === job) &&
    (!node || swap.source_node?.id === node || swap.target_node?.id === node)
  );
}

const shown = (world: World, swap: Swap): Swap => ({
  ...swap,
  allowed: allowedFor(swap.state, isAllowed(world, "operator")),
});

interface Proposal {
  job: string;
  rank: number;
  target_node: string | null;
  reason: string;
}

function propose(world: World, body: Proposal) {
  const job = world.jobs.get(body.job);
  const first = world.swaps.get(idOf("swap", 1));
  if (!job || !first) return notFound();
  const open = [...world.swaps.values()].find(
    (swap) => swap.job.id === job.id && swap.rank === body.rank && ["proposed", "planned", "awaiting_approval"].includes(swap.state),
  );
  if (open) return problem(409, "swap_open", `Rank ${body.rank} of ${job.name} already has an open swap.`);
  const target = world.nodes.get(body.target_node ?? "");
  const swap: Swap = {
    ...structuredClone(first),
    id: idOf("swap", world.swaps.size + 1),
    state: "proposed",
    job: { id: job.id, name: job.name },
    rank: body.rank,
    source_node: world.ranks.get(job.id)?.[body.rank]?.node ?? null,
    target_node: target ? nodeRef(target) : null,
    reason: body.reason,
    proposer: OTTO,
    created_at: iso(world.now),
    plan: null,
    plan_digest: null,
    approval: null,
    band: null,
    phases: [{ state: "proposed", entered_at: iso(world.now), left_at: null, actor: OTTO, deadline_at: null }],
  };
  world.swaps.set(swap.id, swap);
  world.swapEvents.set(swap.id, []);
  auditAdd(world, OTTO, "swap.propose", `swap:${swap.id}`, { reason: body.reason });
  world.tell("swap.changed", { id: swap.id, state: swap.state });
  return HttpResponse.json(shown(world, swap), { status: 201 });
}

export const swapHandlers = (world: World) => [
  http.get("/api/v1/swaps/brake", () => HttpResponse.json(world.brake)),
  http.put<never, { engaged: boolean; reason: string }>("/api/v1/swaps/brake", async ({ request }) => {
    const { engaged, reason } = await request.json();
    world.brake = engaged
      ? { ...world.brake, engaged, engaged_by: OTTO, reason, at: iso(world.now) }
      : { ...world.brake, engaged, engaged_by: null, reason: null, at: null };
    world.tell("brake.changed", { engaged });
    return HttpResponse.json(world.brake);
  }),
  http.get("/api/v1/swaps", ({ request }) =>
    page(request.url, [...world.swaps.values()].filter((swap) => matches(request.url, swap)).toSorted(newest)),
  ),
  http.post<never, Proposal>("/api/v1/swaps", async ({ request }) => propose(world, await request.json())),
  http.get("/api/v1/swaps/:id", ({ params }) => {
    const swap = world.swaps.get(String(params.id));
    return swap ? HttpResponse.json(shown(world, swap)) : notFound();
  }),
  http.get("/api/v1/swaps/:id/events", ({ params, request }) =>
    page(request.url, world.swapEvents.get(String(params.id)) ?? []),
  ),
  http.get("/api/v1/swaps/:id/certificate", ({ params }) => {
    const certificate = world.certificates.get(String(params.id));
    return certificate ? HttpResponse.json(certificate) : notFound();
  }),
  http.post("/api/v1/swaps/:id/abort", ({ params }) => {
    const swap = world.swaps.get(String(params.id));
    if (!swap) return notFound();
    const allowed = allowedFor(swap.state, isAllowed(world, "operator"))[0];
    if (!allowed?.enabled) return problem(409, "transition_refused", allowed?.reason ?? "It has ended.");
    swapMove(world, swap, "aborted", OTTO);
    return HttpResponse.json(shown(world, swap));
  }),
];
