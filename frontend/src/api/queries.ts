/** What can be read, each with the key under which its answer is cached. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import { request } from "./client";
import type {
  Approval,
  ApprovalDetail,
  AuditEntry,
  Brake,
  Certificate,
  Cluster,
  FleetNode,
  Job,
  JobEvent,
  Layout,
  LossPoint,
  Me,
  Overview,
  Page,
  RankRow,
  SearchHit,
  Signals,
  Swap,
  SwapEvent,
  SwapSummary,
} from "./types";

/** The most rows the API gives in one page. */
export const PAGE_ROWS = 200;

export type Filters = Record<string, string | undefined>;

/** A list that is read page by page, following the address each page gives for the next. */
function listOptions<T>(kind: string, path: string, filters: Filters) {
  return infiniteQueryOptions({
    queryKey: [kind, "list", filters],
    queryFn: ({ pageParam, signal }) =>
      pageParam
        ? request<Page<T>>(localPath(pageParam), { signal })
        : request<Page<T>>(path, { query: { ...filters, limit: PAGE_ROWS }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

/** The next page's address may name the host behind a proxy; only its path and query count. */
function localPath(url: string): string {
  const { pathname, search } = new URL(url, location.origin);
  return pathname + search;
}

const one = <T>(kind: string, id: string, path: string, part = "detail") =>
  queryOptions({
    queryKey: [kind, id, part],
    queryFn: ({ signal }) => request<T>(path, { signal }),
  });

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => request<Me>("/session", { signal }),
  staleTime: 5 * 60_000,
});

export const overviewQuery = (tenant: string) =>
  queryOptions({
    queryKey: ["overview", tenant],
    queryFn: ({ signal }) => request<Overview>("/overview", { query: { tenant }, signal }),
  });

export const clustersQuery = queryOptions({
  queryKey: ["clusters"],
  queryFn: ({ signal }) => request<Page<Cluster>>("/clusters", { signal }),
  staleTime: 60_000,
});

export const layoutQuery = (cluster: string) =>
  one<Layout>("layout", cluster, `/clusters/${cluster}/layout`);

export const nodesQuery = (filters: Filters) => listOptions<FleetNode>("node", "/nodes", filters);
export const nodeQuery = (id: string) => one<FleetNode>("node", id, `/nodes/${id}`);

export const signalsQuery = (id: string, windowS: number) =>
  queryOptions({
    queryKey: ["node", id, "signals", windowS],
    queryFn: ({ signal }) => {
      const to = new Date();
      const from = new Date(to.getTime() - windowS * 1000);
      const query = { from: from.toISOString(), to: to.toISOString() };
      return request<Signals>(`/nodes/${id}/signals`, { query, signal });
    },
  });

export const jobsQuery = (filters: Filters) => listOptions<Job>("job", "/jobs", filters);
export const jobQuery = (id: string) => one<Job>("job", id, `/jobs/${id}`);
export const ranksQuery = (id: string) => one<RankRow[]>("job", id, `/jobs/${id}/ranks`, "ranks");

export const lossQuery = (id: string) =>
  one<{ points: LossPoint[] }>("job", id, `/jobs/${id}/loss`, "loss");

export const jobEventsQuery = (id: string) =>
  one<Page<JobEvent>>("job", id, `/jobs/${id}/events`, "events");

export const swapsQuery = (filters: Filters) => listOptions<SwapSummary>("swap", "/swaps", filters);
export const swapQuery = (id: string) => one<Swap>("swap", id, `/swaps/${id}`);

export const swapEventsQuery = (id: string) =>
  one<Page<SwapEvent>>("swap", id, `/swaps/${id}/events`, "events");

export const certificateQuery = (id: string) =>
  one<Certificate>("swap", id, `/swaps/${id}/certificate`, "certificate");

export const brakeQuery = (tenant: string) =>
  queryOptions({
    queryKey: ["brake", tenant],
    queryFn: ({ signal }) => request<Brake>("/swaps/brake", { query: { tenant }, signal }),
  });

export const approvalsQuery = (filters: Filters) =>
  listOptions<Approval>("approval", "/approvals", filters);
export const approvalQuery = (id: string) => one<ApprovalDetail>("approval", id, `/approvals/${id}`);

export const auditQuery = (filters: Filters) => listOptions<AuditEntry>("audit", "/audit", filters);

export const searchQuery = (text: string, tenant: string) =>
  queryOptions({
    queryKey: ["search", tenant, text],
    queryFn: ({ signal }) => request<SearchHit[]>("/search", { query: { q: text, tenant }, signal }),
    enabled: text.length > 0,
  });
