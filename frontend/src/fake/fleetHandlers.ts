import { http, HttpResponse } from "msw";

import type { FleetNode, NodeTile, Rack } from "@/api/types";

import { notFound, page, problem, queryOf } from "./answers";
import type { World } from "./world";

const tileOf = (node: FleetNode): NodeTile => ({
  id: node.id,
  name: node.name,
  grade: node.grade,
  state: node.state,
  is_spare: node.is_spare,
  stale: node.stale,
  rank_of: node.rank_of,
});

function racksOf(nodes: readonly FleetNode[]): Rack[] {
  const racks = new Map<string, Rack>();
  for (const node of nodes) {
    const name = node.rack?.name ?? "no rack";
    const rack = racks.get(name) ?? { id: node.rack?.id ?? null, name, nodes: [] };
    rack.nodes.push(tileOf(node));
    racks.set(name, rack);
  }
  return [...racks.values()];
}

const within = (world: World, cluster: string): FleetNode[] =>
  [...world.nodes.values()].filter((node) => cluster === "" || node.cluster.id === cluster);

function matches(url: string, node: FleetNode): boolean {
  const [grade, state, spare] = ["grade", "state", "spare"].map((name) => queryOf(url, name));
  return (
    (!grade || node.grade === grade) &&
    (!state || node.state === state) &&
    (!spare || String(node.is_spare) === spare) &&
    node.name.includes(queryOf(url, "search"))
  );
}

export const fleetHandlers = (world: World) => [
  http.get("/api/v1/clusters", ({ request }) => page(request.url, world.clusters)),
  http.get("/api/v1/clusters/:id/layout", ({ params }) =>
    HttpResponse.json({ racks: racksOf(within(world, String(params.id))) }),
  ),
  http.get("/api/v1/nodes", ({ request }) =>
    page(
      request.url,
      within(world, queryOf(request.url, "cluster")).filter((node) => matches(request.url, node)),
    ),
  ),
  http.get("/api/v1/nodes/:id", ({ params }) => {
    const node = world.nodes.get(String(params.id));
    return node ? HttpResponse.json(node) : notFound();
  }),
  http.get("/api/v1/nodes/:id/signals", ({ params, request }) => {
    const [from, to] = [queryOf(request.url, "from"), queryOf(request.url, "to")];
    const series = (world.signals.get(String(params.id)) ?? []).map((one) => ({
      ...one,
      points: one.points.filter(({ at }) => at >= from),
    }));
    return HttpResponse.json({ from, to, series });
  }),
  http.post<{ id: string }, { state: FleetNode["state"]; reason: string }>(
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
