/** What can be read, each with the key under which its answer is cached. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import type { Route } from "./client";
import { request } from "./client";
import type {
  Agent,
  Approval,
  ApprovalDetail,
  ApiToken,
  AuditEntry,
  Brake,
  Certificate,
  Cluster,
  Delivery,
  FleetNode,
  Hold,
  Job,
  JobEvent,
  Layout,
  LossCurve,
  Me,
  NodeDetail,
  NodeEvent,
  Overview,
  Page,
  RankRow,
  RuleBook,
  SearchHit,
  Signals,
  SpareChoice,
  Swap,
  SwapEvent,
  SwapLimits,
  SwapSummary,
  Webhook,
} from "./types";

/** The most rows the API gives in one page. */
export const PAGE_ROWS = 200;

/** The most points of a loss curve that are asked for; the server keeps peaks and gaps. */
const LOSS_POINTS_MAX = 4000;

const RARELY_CHANGES_MS = 5 * 60_000;

export type Filters = Record<string, string | undefined>;

/** The next page's address may name the host behind a proxy; only its cursor counts. */
const cursorOf = (next: string | null): string | null =>
  next && new URL(next, location.origin).searchParams.get("cursor");

/** A list that is read page by page. */
function list<T>(kind: string, route: Route, filters: Filters, id = "") {
  return infiniteQueryOptions({
    queryKey: [kind, "list", filters, id],
    queryFn: ({ pageParam: cursor, signal }) =>
      request<Page<T>>(route, { id, query: { ...filters, limit: PAGE_ROWS, cursor }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => cursorOf(page.next),
  });
}

const one = <T>(kind: string, route: Route, id: string, part = "detail") =>
  queryOptions({
    queryKey: [kind, id, part],
    queryFn: ({ signal }) => request<T>(route, { id, signal }),
  });

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => request<Me>("/session", { signal }),
  staleTime: RARELY_CHANGES_MS,
});

export const overviewQuery = (tenant: string) =>
  queryOptions({
    queryKey: ["overview", tenant],
    queryFn: ({ signal }) => request<Overview>("/overview", { query: { tenant }, signal }),
  });

export const clustersQuery = (tenant: string) =>
  queryOptions({
    queryKey: ["clusters", tenant],
    queryFn: ({ signal }) => request<Page<Cluster>>("/clusters", { query: { tenant }, signal }),
  });

export const layoutQuery = (cluster: string, tenant: string) =>
  queryOptions({
    queryKey: ["layout", cluster, tenant],
    queryFn: ({ signal }) =>
      request<Layout>("/clusters/{id}/layout", { id: cluster, query: { tenant }, signal }),
  });

export const ruleQuery = queryOptions({
  queryKey: ["rule"],
  queryFn: ({ signal }) => request<RuleBook>("/fleet/rule", { signal }),
  staleTime: RARELY_CHANGES_MS,
});

export const nodesQuery = (filters: Filters) => list<FleetNode>("node", "/nodes", filters);
export const nodeQuery = (id: string) => one<NodeDetail>("node", "/nodes/{id}", id);
export const nodeEventsQuery = (id: string) => one<Page<NodeEvent>>("node", "/nodes/{id}/events", id, "events");

/** Spares that might take over from a node, the best first. */
export const sparesQuery = (id: string) => one<SpareChoice[]>("node", "/nodes/{id}/spares", id, "spares");

export const signalsQuery = (id: string, windowS: number) =>
  queryOptions({
    queryKey: ["node", id, "signals", windowS],
    queryFn: ({ signal }) => {
      const to = new Date();
      const from = new Date(to.getTime() - windowS * 1000);
      const query = { from: from.toISOString(), to: to.toISOString() };
      return request<Signals>("/nodes/{id}/signals", { id, query, signal });
    },
  });

export const jobsQuery = (filters: Filters) => list<Job>("job", "/jobs", filters);
export const jobQuery = (id: string) => one<Job>("job", "/jobs/{id}", id);
export const ranksQuery = (id: string) => one<RankRow[]>("job", "/jobs/{id}/ranks", id, "ranks");
export const jobEventsQuery = (id: string) => one<Page<JobEvent>>("job", "/jobs/{id}/events", id, "events");

export const lossQuery = (id: string) =>
  queryOptions({
    queryKey: ["job", id, "loss"],
    queryFn: ({ signal }) =>
      request<LossCurve>("/jobs/{id}/loss", { id, query: { max_points: LOSS_POINTS_MAX }, signal }),
  });

export const swapsQuery = (filters: Filters) => list<SwapSummary>("swap", "/swaps", filters);
export const swapQuery = (id: string) => one<Swap>("swap", "/swaps/{id}", id);
export const swapEventsQuery = (id: string) => one<Page<SwapEvent>>("swap", "/swaps/{id}/events", id, "events");
export const certificateQuery = (id: string) =>
  one<Certificate>("swap", "/swaps/{id}/certificate", id, "certificate");

export const brakeQuery = (tenant: string) =>
  queryOptions({
    queryKey: ["brake", tenant],
    queryFn: ({ signal }) => request<Brake>("/swaps/brake", { query: { tenant }, signal }),
  });

export const limitsQuery = (tenant: string) =>
  queryOptions({
    queryKey: ["limits", tenant],
    queryFn: ({ signal }) => request<SwapLimits>("/swaps/limits", { query: { tenant }, signal }),
  });

/** Ranks that are held now. */
export const holdsQuery = (tenant: string) =>
  queryOptions({
    queryKey: ["hold", tenant],
    queryFn: ({ signal }) => request<Page<Hold>>("/swaps/holds", { query: { tenant, open: true, limit: PAGE_ROWS }, signal }),
  });

export const tokensQuery = (tenant: string) => list<ApiToken>("token", "/tokens", { tenant });

export const agentsQuery = (tenant: string) => list<Agent>("agent", "/agents", { tenant });

export const webhooksQuery = (tenant: string) => list<Webhook>("webhook", "/webhooks", { tenant });
export const webhookQuery = (id: string) => one<Webhook>("webhook", "/webhooks/{id}", id);
export const deliveriesQuery = (id: string, filters: Filters) =>
  list<Delivery>("delivery", "/webhooks/{id}/deliveries", filters, id);

export const approvalsQuery = (filters: Filters) => list<Approval>("approval", "/approvals", filters);
export const approvalQuery = (id: string) => one<ApprovalDetail>("approval", "/approvals/{id}", id);

export const auditQuery = (filters: Filters) => list<AuditEntry>("audit", "/audit", filters);

export const searchQuery = (text: string, tenant: string) =>
  queryOptions({
    queryKey: ["search", tenant, text],
    queryFn: ({ signal }) => request<SearchHit[]>("/search", { query: { q: text, tenant }, signal }),
    enabled: text.length > 0,
  });
