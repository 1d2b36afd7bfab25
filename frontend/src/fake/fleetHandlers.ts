import { http, HttpResponse } from "msw";

import type { Cluster, Domain, FleetNode, Layout, NodeDetail, NodeTile, SpareChoice } from "@/api/types";

import { notFound, page, problem, queryOf } from "./answers";
import { RULES } from "./seedFleet";
import type { World } from "./world";

const tileOf = (node: NodeDetail): NodeTile => ({
  id: node.id,
  name: node.name,
  grade: node.grade,
  state: node.state,
  is_spare: node.is_spare,
  reserved_for: node.reserved_for,
  stale: node.stale,
  source: node.source,
  reported_at: node.reported_at,
  rank_of: node.rank_of,
});

const listed = ({ devices: _d, domains: _o, firmware: _f, verdict: _v, allowed: _a, ...node }: NodeDetail): FleetNode =>
  node;

function layoutOf(cluster: Cluster, nodes: readonly NodeDetail[]): Layout {
  const racks = new Map<string, Layout["racks"][number]>();
  const domains = new Map<string, Domain>();
  const within: Record<string, string[]> = {};
  for (const node of nodes) {
    const rack: Domain | null = node.rack && { ...node.rack, kind: "rack", parent: null };
    const found = racks.get(rack?.id ?? "") ?? { rack, shared: [], nodes: [] };
    found.nodes.push(tileOf(node));
    racks.set(rack?.id ?? "", found);
    for (const domain of node.domains) {
      domains.set(domain.id, domain);
      (within[domain.id] ??= []).push(node.id);
    }
  }
  return {
    cluster: { id: cluster.id, name: cluster.name },
    racks: [...racks.values()],
    domains: [...domains.values()],
    nodes_by_domain: within,
  };
}

const nodesOf = (world: World, cluster: string): NodeDetail[] =>
  [...world.nodes.values()].filter((node) => cluster === "" || node.cluster.id === cluster);

function matches(url: string, node: NodeDetail): boolean {
  const [grade, state, spare] = ["grade", "state", "spare"].map((name) => queryOf(url, name));
  return (
    (!grade || node.grade === grade) &&
    (!state || node.state === state) &&
    (!spare || String(node.is_spare) === spare) &&
    node.name.includes(queryOf(url, "search"))
  );
}

const sparesOf = (world: World): SpareChoice[] =>
  nodesOf(world, "")
    .filter((node) => node.is_spare && node.domains.length > 0)
    .map((node) => ({
      id: node.id,
      name: node.name,
      refusal: node.reserved_for ? `reserved for ${node.reserved_for}` : null,
      drawbacks: [],
    }));

const nodeHandlers = (world: World) => [
  http.get("/api/v1/nodes/:id", ({ params }) => {
    const node = world.nodes.get(String(params.id));
    return node ? HttpResponse.json(node) : notFound();
  }),
  http.get("/api/v1/nodes/:id/events", ({ params, request }) =>
    page(request.url, world.nodeEvents.get(String(params.id)) ?? []),
  ),
  http.get("/api/v1/nodes/:id/spares", () => HttpResponse.json(sparesOf(world))),
  http.get("/api/v1/nodes/:id/signals", ({ params, request }) => {
    const [start, end] = [queryOf(request.url, "from"), queryOf(request.url, "to")];
    const signals = (world.signals.get(String(params.id)) ?? []).map((line) => ({
      ...line,
      points: line.points.filter(({ at }) => at >= start),
    }));
    return HttpResponse.json({ start, end, signals });
  }),
  http.post<{ id: string }, { state: NodeDetail["state"]; reason: string }>(
    "/api/v1/nodes/:id/state",
    async ({ params, request }) => {
      const node = world.nodes.get(params.id);
      if (!node) return notFound();
      const { state, reason } = await request.json();
      if (!reason) return problem(422, "invalid", "reason: This field is required.");
      node.state = state;
      world.tell("node.changed", { id: node.id, state });
      return HttpResponse.json(node);
    },
  ),
];

export const fleetHandlers = (world: World) => [
  http.get("/api/v1/clusters", ({ request }) => page(request.url, world.clusters)),
  http.get("/api/v1/clusters/:id/layout", ({ params }) => {
    const cluster = world.clusters.find(({ id }) => id === params.id);
    return cluster ? HttpResponse.json(layoutOf(cluster, nodesOf(world, cluster.id))) : notFound();
  }),
  http.get("/api/v1/fleet/rule", () => HttpResponse.json(RULES)),
  http.get("/api/v1/nodes", ({ request }) =>
    page(
      request.url,
      nodesOf(world, queryOf(request.url, "cluster"))
        .filter((node) => matches(request.url, node))
        .map(listed),
    ),
  ),
  ...nodeHandlers(world),
];
