/** The whole REST API of the fake. The order matters where one address lies within another. */
import type { RequestHandler } from "msw";
import { http, HttpResponse } from "msw";

import type { AuditEntry, AuditVerdict, Grade, Overview, SearchHit } from "@/api/types";

import { isAllowed, page, problem, queryOf } from "./answers";
import { approvalHandlers } from "./approvalHandlers";
import { fleetHandlers } from "./fleetHandlers";
import { jobHandlers } from "./jobHandlers";
import { settingsHandlers } from "./settingsHandlers";
import { swapHandlers } from "./swapHandlers";
import type { World } from "./world";
import { iso } from "./world";

const ENDED: ReadonlySet<string> = new Set(["completed", "aborted", "refused", "expired", "failed", "deviated"]);
const HITS_MAX = 12;

function overviewOf(world: World): Overview {
  const nodes = [...world.nodes.values()].filter(({ cluster }) => cluster.name === "alder");
  const grades: Record<Grade, number> = { critical: 0, high: 0, medium: 0, low: 0, unknown: 0 };
  for (const { grade } of nodes) grades[grade] += 1;
  const swaps = [...world.swaps.values()];
  const spares = nodes.filter((node) => node.is_spare);
  const reserved = spares.filter((node) => node.reserved_for).length;
  return {
    jobs: [...world.jobs.values()].filter(({ state }) => state === "running" || state === "submitted"),
    nodes_by_grade: grades,
    spares: {
      ready: spares.length - reserved,
      reserved,
      unfit: 0,
      target_percent: 3,
      percent: ((spares.length - reserved) / nodes.length) * 100,
    },
    swaps_open: swaps.filter(({ state }) => !ENDED.has(state)),
    approvals_waiting_for_me: isAllowed(world, "approver")
      ? [...world.approvals.values()].filter(({ state }) => state === "pending").length
      : 0,
    last_swap: swaps.find(({ state }) => state === "completed") ?? null,
    at: iso(world.now),
  };
}

function searchIn(world: World, text: string): SearchHit[] {
  const wanted = text.toLowerCase();
  const named: SearchHit[] = [
    ...[...world.jobs.values()].map(({ id, name }) => ({ kind: "job" as const, id, name, path: `/jobs/${id}` })),
    ...[...world.swaps.values()].map((swap) => ({
      kind: "swap" as const,
      id: swap.id,
      name: `${swap.source_node?.name} → ${swap.target_node?.name}, ${swap.job.name} rank ${swap.rank}`,
      path: `/swaps/${swap.id}`,
    })),
    ...[...world.nodes.values()].map(({ id, name }) => ({ kind: "node" as const, id, name, path: `/nodes/${id}` })),
  ];
  return named.filter(({ id, name }) => name.toLowerCase().includes(wanted) || id === wanted).slice(0, HITS_MAX);
}

const auditRows = (world: World, url: string): AuditEntry[] => {
  const [subject, actor, action] = ["subject", "actor_name", "action"].map((name) => queryOf(url, name));
  return world.audit
    .filter(
      (entry) =>
        (!subject || entry.subject === subject) &&
        (!actor || entry.actor.name === actor) &&
        (!action || entry.action === action),
    )
    .toReversed();
};

const sessionHandlers = (world: World): RequestHandler[] => [
  http.get("/api/v1/session", () =>
    world.me ? HttpResponse.json(world.me) : problem(401, "not_authenticated", "Sign in first."),
  ),
  http.post<never, { username: string; password: string }>("/api/v1/session", async ({ request }) => {
    const { username, password } = await request.json();
    const found = world.people.find((one) => one.username === username);
    if (!found || password !== "hotswap") return problem(401, "wrong_login", "Wrong name or password.");
    world.me = found;
    return HttpResponse.json(found);
  }),
  http.delete("/api/v1/session", () => {
    world.me = null;
    return new HttpResponse(null, { status: 204 });
  }),
];

export const handlersMake = (world: World): RequestHandler[] => [
  ...sessionHandlers(world),
  http.get("/api/v1/overview", () => HttpResponse.json(overviewOf(world))),
  http.get("/api/v1/search", ({ request }) => HttpResponse.json(searchIn(world, queryOf(request.url, "q")))),
  ...fleetHandlers(world),
  ...jobHandlers(world),
  ...settingsHandlers(world),
  ...swapHandlers(world),
  ...approvalHandlers(world),
  http.get("/api/v1/audit", ({ request }) =>
    isAllowed(world, "auditor")
      ? page(request.url, auditRows(world, request.url))
      : problem(403, "forbidden", "This takes the role auditor.", { who_can: ["auditor"] }),
  ),
  http.post("/api/v1/audit/verify", () => {
    const last = world.audit.at(-1);
    const verdict: AuditVerdict = {
      tenant: last?.tenant ?? "",
      ok: true,
      entries: world.audit.length,
      first_bad: null,
      problem: "",
      head: last ? { sequence: last.sequence, digest: last.digest, signature: "fake" } : null,
    };
    return HttpResponse.json(verdict);
  }),
];
