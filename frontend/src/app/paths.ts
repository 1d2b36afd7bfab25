/** Every address of the dashboard; nothing else builds one. */
export const paths = {
  overview: () => "/",
  fleet: () => "/fleet",
  node: (id: string) => `/nodes/${id}`,
  jobs: () => "/jobs",
  job: (id: string) => `/jobs/${id}`,
  swaps: () => "/swaps",
  swap: (id: string) => `/swaps/${id}`,
  approvals: () => "/approvals",
  approval: (id: string) => `/approvals/${id}`,
  settings: () => "/settings",
  tokens: () => "/settings/tokens",
  agents: () => "/settings/agents",
  webhooks: () => "/settings/webhooks",
  webhook: (id: string) => `/settings/webhooks/${id}`,
  audit: (subject?: string) => (subject ? `/audit?subject=${encodeURIComponent(subject)}` : "/audit"),
} as const;

/** The page of what an audit entry or a search hit is about; null for what has none. */
export function pathOf(kind: string, id: string): string | null {
  const pages: Record<string, (id: string) => string> = {
    node: paths.node,
    job: paths.job,
    swap: paths.swap,
    approval: paths.approval,
    webhook: paths.webhook,
  };
  return pages[kind]?.(id) ?? null;
}
