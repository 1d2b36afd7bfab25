/** What the fake backend holds, and who is told of a change. */
import type {
  Agent,
  ApiToken,
  ApprovalDetail,
  AuditEntry,
  Brake,
  Certificate,
  Cluster,
  Delivery,
  Hold,
  Job,
  JobEvent,
  LossPoint,
  Me,
  NodeDetail,
  NodeEvent,
  RankRow,
  SignalLine,
  Swap,
  SwapEvent,
  SwapLimits,
  Webhook,
} from "@/api/types";

export interface World {
  /** The present of the fake, in milliseconds. */
  now: number;
  me: Me | null;
  people: Me[];
  clusters: Cluster[];
  nodes: Map<string, NodeDetail>;
  signals: Map<string, SignalLine[]>;
  nodeEvents: Map<string, NodeEvent[]>;
  jobs: Map<string, Job>;
  losses: Map<string, LossPoint[]>;
  ranks: Map<string, RankRow[]>;
  jobEvents: Map<string, JobEvent[]>;
  swaps: Map<string, Swap>;
  swapEvents: Map<string, SwapEvent[]>;
  certificates: Map<string, Certificate>;
  approvals: Map<string, ApprovalDetail>;
  audit: AuditEntry[];
  brake: Brake;
  limits: SwapLimits;
  holds: Hold[];
  tokens: ApiToken[];
  agents: Agent[];
  webhooks: Webhook[];
  deliveries: Delivery[];
  /** Called with each delta. */
  tell: (kind: string, payload: Record<string, unknown>) => void;
}

export const iso = (ms: number): string => new Date(ms).toISOString();

/** A row that must be there: a fake that lost one is broken. */
export function must<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new Error(`the fake has no ${what}`);
  return value;
}
