/** Tokens, agents, webhooks, limits and held ranks of the fake. */
import { http, HttpResponse } from "msw";

import type { Role, SwapLimits } from "@/api/types";

import { isAllowed, notFound, page, problem, queryOf } from "./answers";
import { digestOf, idOf } from "./random";
import type { World } from "./world";
import { iso } from "./world";

const refused = (role: Role) => problem(403, "forbidden", `This takes the role ${role}.`, { who_can: [role] });

const tokenHandlers = (world: World) => [
  http.get("/api/v1/tokens", ({ request }) =>
    page(request.url, world.tokens.filter(({ owner }) => owner === world.me?.username || isAllowed(world, "admin"))),
  ),
  http.post<never, { name: string; scopes: string[]; expires_at: string | null }>("/api/v1/tokens", async ({ request }) => {
    const { name, scopes, expires_at } = await request.json();
    const number = world.tokens.length + 1;
    const token = { id: idOf("token", number), tenant: idOf("tenant", 1), owner: world.me?.username ?? "", name, prefix: `hst_New${number}`, scopes, expires_at, created_at: iso(world.now), revoked_at: null, last_used_at: null };
    world.tokens.unshift(token);
    return HttpResponse.json({ ...token, token: `hst_New${number}-fake-text-of-a-token-that-opens-nothing` }, { status: 201 });
  }),
  http.delete("/api/v1/tokens/:id", ({ params }) => {
    const token = world.tokens.find(({ id }) => id === params.id);
    if (!token) return notFound();
    token.revoked_at = iso(world.now);
    return new HttpResponse(null, { status: 204 });
  }),
];

const agentHandlers = (world: World) => [
  http.get("/api/v1/agents", ({ request }) => page(request.url, world.agents)),
  http.post<never, { node: string }>("/api/v1/enrol-tokens", async ({ request }) => {
    if (!isAllowed(world, "admin")) return refused("admin");
    const { node } = await request.json();
    const made = { id: idOf("token", 900), tenant: idOf("tenant", 1), node, created_at: iso(world.now), expires_at: iso(world.now + 3_600_000) };
    return HttpResponse.json({ ...made, token: `hse_fake-text-for-${node}`, authority_digest: digestOf("authority") }, { status: 201 });
  }),
  http.post("/api/v1/agents/:id/revoke", ({ params }) => {
    const agent = world.agents.find(({ id }) => id === params.id);
    if (!agent) return notFound();
    agent.revoked_at = iso(world.now);
    return HttpResponse.json(agent);
  }),
];

const webhookHandlers = (world: World) => [
  http.get("/api/v1/webhooks", ({ request }) => (isAllowed(world, "admin") ? page(request.url, world.webhooks) : refused("admin"))),
  http.post<never, { url: string; kinds: string[] }>("/api/v1/webhooks", async ({ request }) => {
    const { url, kinds } = await request.json();
    if (!url.startsWith("https:")) return problem(422, "invalid", "The request is not valid.", { fields: { url: ["It must begin with https://."] } });
    const hook = { id: idOf("webhook", world.webhooks.length + 1), tenant: idOf("tenant", 1), url, kinds, creator: world.me?.username ?? "", created_at: iso(world.now) };
    world.webhooks.unshift(hook);
    return HttpResponse.json({ ...hook, secret: "5f1d7a84e99277cb34ef0a31c9b06cb1e1ab27c9805b9c6f4a2c05f0e2fd6a90" }, { status: 201 });
  }),
  http.get("/api/v1/webhooks/:id", ({ params }) => {
    const hook = world.webhooks.find(({ id }) => id === params.id);
    return hook ? HttpResponse.json(hook) : notFound();
  }),
  http.delete("/api/v1/webhooks/:id", ({ params }) => {
    world.webhooks = world.webhooks.filter(({ id }) => id !== params.id);
    return new HttpResponse(null, { status: 204 });
  }),
  http.get("/api/v1/webhooks/:id/deliveries", ({ params, request }) => {
    const [state, kind] = [queryOf(request.url, "state"), queryOf(request.url, "kind")];
    return page(
      request.url,
      world.deliveries.filter((row) => row.webhook === params.id && (!state || row.state === state) && (!kind || row.kind === kind)),
    );
  }),
];

export const settingsHandlers = (world: World) => [
  ...tokenHandlers(world),
  ...agentHandlers(world),
  ...webhookHandlers(world),
  http.get("/api/v1/swaps/limits", () => HttpResponse.json(world.limits)),
  http.put<never, SwapLimits>("/api/v1/swaps/limits", async ({ request }) => {
    if (!isAllowed(world, "admin")) return refused("admin");
    const { per_job, per_rack, per_tenant } = await request.json();
    world.limits = { per_job, per_rack, per_tenant };
    world.tell("limits.changed", { id: idOf("tenant", 1), ...world.limits });
    return HttpResponse.json(world.limits);
  }),
  http.get("/api/v1/swaps/holds", ({ request }) => page(request.url, world.holds.filter(({ released_at }) => released_at === null))),
  http.post("/api/v1/swaps/holds/:id/release", ({ params }) => {
    const hold = world.holds.find(({ id }) => id === params.id);
    if (!hold || !world.me) return notFound();
    Object.assign(hold, { released_at: iso(world.now), released_by: { kind: "person", id: world.me.id, name: world.me.username } });
    world.tell("hold.changed", { id: hold.id, released: true });
    return HttpResponse.json(hold);
  }),
];
