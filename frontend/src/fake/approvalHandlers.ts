import { http, HttpResponse } from "msw";

import type { Approval, ApprovalDetail } from "@/api/types";

import { isAllowed, notFound, page, problem, queryOf } from "./answers";
import { auditAdd, swapMove } from "./engine";
import type { World } from "./world";
import { iso } from "./world";

function whyNot(world: World, approval: Approval): string | null {
  if (approval.state !== "pending") return "It is decided.";
  if (approval.proposer.id === world.me?.id) return "You proposed it; a second person decides.";
  return isAllowed(world, "approver") ? null : "Needs the role approver.";
}

/** As the one who asks may see it. */
const shown = (world: World, approval: ApprovalDetail): ApprovalDetail => {
  const why = whyNot(world, approval);
  return { ...approval, may_decide: why === null, why_not: why };
};

interface Decision {
  plan_digest: string;
  reason?: string;
}

function decide(world: World, id: string, approve: boolean, body: Decision) {
  const approval = world.approvals.get(id);
  if (!approval || !world.me) return notFound();
  if (approval.decided_by) {
    const extra = { decided_by: approval.decided_by, decided_at: approval.decided_at ?? "" };
    return problem(409, "already_decided", `${approval.decided_by.name} has decided it.`, extra);
  }
  const why = whyNot(world, approval);
  if (why) return problem(403, "forbidden", why, { who_can: approval.who_could.map(({ name }) => name) });
  if (body.plan_digest !== approval.plan_digest) return problem(409, "plan_changed", "The plan is another by now.");
  const actor = { kind: "person", id: world.me.id, name: world.me.display_name };
  Object.assign(approval, {
    state: approve ? "approved" : "refused",
    decided_by: actor,
    decided_at: iso(world.now),
    reason: body.reason ?? "",
  });
  auditAdd(world, actor, approve ? "approval.approve" : "approval.refuse", `approval:${id}`, {});
  const swap = world.swaps.get(approval.subject_id);
  if (swap) swapMove(world, swap, approve ? "approved" : "refused", actor);
  world.tell("approval.changed", { id, state: approval.state });
  return HttpResponse.json(shown(world, approval));
}

export const approvalHandlers = (world: World) => [
  http.get("/api/v1/approvals", ({ request }) => {
    const [state, mine] = [queryOf(request.url, "state"), queryOf(request.url, "mine")];
    const rows = [...world.approvals.values()]
      .map((approval) => shown(world, approval))
      .filter((approval) => (!state || approval.state === state) && (!mine || approval.may_decide))
      .map(({ document: _document, who_could: _who, ...row }): Approval => row);
    return page(request.url, rows);
  }),
  http.get("/api/v1/approvals/:id", ({ params }) => {
    const approval = world.approvals.get(String(params.id));
    return approval ? HttpResponse.json(shown(world, approval)) : notFound();
  }),
  http.post<{ id: string }, Decision>("/api/v1/approvals/:id/approve", async ({ params, request }) =>
    decide(world, params.id, true, await request.json()),
  ),
  http.post<{ id: string }, Decision>("/api/v1/approvals/:id/refuse", async ({ params, request }) =>
    decide(world, params.id, false, await request.json()),
  ),
];
