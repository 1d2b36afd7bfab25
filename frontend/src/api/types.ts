/**
 * The words the dashboard shares with the REST API. Pages and charts import types from here and
 * from nowhere else, so that what stands behind a name can change in one place.
 */

export type Grade = "unknown" | "low" | "medium" | "high" | "critical";
export type NodeState = "active" | "draining" | "quarantined" | "maintenance" | "retired";
export type Protection = "protected" | "catching_up" | "unprotected" | "unknown";
export type JobState = "submitted" | "starting" | "running" | "finished" | "failed" | "stopped";
export type Role = "viewer" | "operator" | "approver" | "auditor" | "admin";
export type ApprovalState = "pending" | "approved" | "refused" | "expired" | "void";

/** A time as the API writes it: ISO 8601, UTC. */
export type Instant = string;

export interface Page<T> {
  next: string | null;
  previous: string | null;
  results: T[];
}

/** RFC 9457 problem details, with what some kinds of problem add. */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  who_can?: string[];
  fields?: Record<string, string[]>;
  decided_by?: string | { name: string };
  decided_at?: Instant;
  allowed?: string[];
}

export interface TenantRoles {
  id: string;
  slug: string;
  name: string;
  roles: Role[];
}

export interface Me {
  id: string;
  username: string;
  display_name: string;
  kind: string;
  tenants: TenantRoles[];
  csrf_token: string;
}

export interface ActorRef {
  kind: string;
  id: string;
  name: string;
}

export interface NodeRef {
  id: string;
  name: string;
  grade: Grade;
}

export interface JobRef {
  id: string;
  name: string;
}

export interface Cluster {
  id: string;
  name: string;
}

export interface RankRef {
  job: JobRef;
  rank: number;
}

export interface NodeTile {
  id: string;
  name: string;
  grade: Grade;
  state: NodeState;
  is_spare: boolean;
  stale: boolean;
  rank_of: RankRef[];
}

export interface Rack {
  id: string | null;
  name: string;
  nodes: NodeTile[];
}

export interface Layout {
  racks: Rack[];
}

export interface DomainRef {
  id: string;
  kind: string;
  name: string;
}

export interface Contribution {
  signal: string;
  value: number | null;
  unit: string;
  grade: Grade;
  threshold: number | null;
  text: string;
}

export interface Device {
  id: string;
  kind: string;
  index: number;
  model: string;
  uuid: string;
  state: string;
}

export interface FleetNode {
  id: string;
  name: string;
  cluster: Cluster;
  rack: DomainRef | null;
  domains: DomainRef[];
  node_class: string;
  address: string;
  state: NodeState;
  grade: Grade;
  stale: boolean;
  is_spare: boolean;
  reserved_for: string | null;
  reported_at: Instant | null;
  source: "measured" | "simulated" | null;
  rank_of: RankRef[];
  firmware: Record<string, string>;
  contributions: Contribution[];
  devices: Device[];
}

export interface SignalSeries {
  name: string;
  unit: string;
  source: "measured" | "simulated" | null;
  thresholds: { grade: Grade; value: number }[];
  points: { at: Instant; value: number | null }[];
}

export interface Signals {
  from: Instant;
  to: Instant;
  series: SignalSeries[];
}

export interface Job {
  id: string;
  name: string;
  cluster: Cluster;
  state: JobState;
  world_size: number;
  standbys_wanted: number;
  script: string;
  epoch: number;
  committed_step: number | null;
  protection: Protection;
  loss: number | null;
  validation_loss: number | null;
  step_time_s: number | null;
  samples_per_s: number | null;
  goodput: number | null;
  checkpoint_every_steps: number | null;
  leader: string | null;
  reported_at: Instant | null;
  created_at: Instant;
}

export interface LossPoint {
  epoch: number;
  step: number;
  loss: number | null;
  validation_loss: number | null;
  step_s: number | null;
}

export interface RankRow {
  rank: number;
  member: string | null;
  node: NodeRef | null;
  epoch_from: number | null;
  mirror: { member: string; node: NodeRef | null } | null;
  protection: Protection;
  lag_steps: number | null;
}

export interface JobEvent {
  id: string;
  sequence: number;
  at: Instant;
  kind: string;
  epoch: number | null;
  step: number | null;
  rank: number | null;
  member: string | null;
  text: string;
}

export interface SwapSummary {
  id: string;
  job: JobRef;
  rank: number;
  kind: "planned" | "unplanned";
  state: string;
  source_node: NodeRef | null;
  target_node: NodeRef | null;
  proposer: ActorRef | null;
  reason: string;
  created_at: Instant;
  deadline_at: Instant | null;
  pause_ms: number | null;
  pause_budget_ms: number | null;
  steps_lost: number | null;
}

export interface Phase {
  state: string;
  entered_at: Instant | null;
  left_at: Instant | null;
  actor: ActorRef | null;
  deadline_at: Instant | null;
}

export interface AllowedAction {
  action: string;
  enabled: boolean;
  reason: string | null;
}

export interface Band {
  center: number;
  half_width: number;
  rule: string;
}

export interface Constraint {
  name: string;
  ok: boolean | null;
  text: string;
}

export interface Plan {
  reservation: string | null;
  blast_radius: string | null;
  constraints: Constraint[];
}

export interface TransferProgress {
  done_bytes: number;
  total_bytes: number;
  rate_bytes_per_s: number | null;
  units_done: number | null;
  units_total: number | null;
}

export interface Swap extends SwapSummary {
  source_member: string | null;
  target_member: string | null;
  evidence: Record<string, unknown>;
  plan: Plan | null;
  plan_digest: string | null;
  approval: string | null;
  runtime_swap_id: string | null;
  stall_ms: number | null;
  watch_from_step: number | null;
  watch_steps: number | null;
  band: Band | null;
  transfer: TransferProgress | null;
  failure: { code: string; text: string } | null;
  certificate: string | null;
  phases: Phase[];
  allowed: AllowedAction[];
}

export interface SwapEvent {
  id: string;
  sequence: number;
  at: Instant;
  from_state: string | null;
  to_state: string;
  action: string;
  actor: ActorRef;
  detail: Record<string, unknown>;
}

export interface Certificate {
  id: string;
  digest: string;
  document: Record<string, unknown>;
  verified: boolean | null;
}

export interface Brake {
  engaged: boolean;
  engaged_by: ActorRef | null;
  reason: string | null;
  at: Instant | null;
}

export interface Approval {
  id: string;
  subject_kind: string;
  subject_id: string;
  summary: string;
  plan_digest: string;
  evidence_digest: string;
  proposer: ActorRef;
  state: ApprovalState;
  created_at: Instant;
  expires_at: Instant;
  decided_by: ActorRef | null;
  decided_at: Instant | null;
  reason: string | null;
  executed_at: Instant | null;
  may_decide: boolean;
  why_not: string | null;
}

/** One approval with the document that is decided about. */
export interface ApprovalDetail extends Approval {
  document: Record<string, unknown>;
  who_could: { id: string; name: string }[];
}

export interface AuditEntry {
  id: string;
  sequence: number;
  at: Instant;
  actor: ActorRef;
  action: string;
  subject: string;
  detail: Record<string, unknown>;
  digest: string;
}

export interface AuditVerdict {
  ok: boolean;
  entries: number;
  first_bad: number | null;
  problem: string;
  head: { sequence: number; digest: string; signature: string } | null;
}

export interface Spares {
  ready: number;
  reserved: number;
  target_percent: number | null;
  percent: number | null;
}

export interface Overview {
  jobs: Job[];
  nodes_by_grade: Partial<Record<Grade, number>>;
  spares: Spares;
  swaps_open: SwapSummary[];
  approvals_waiting_for_me: number;
  last_swap: SwapSummary | null;
  at: Instant;
}

export interface SearchHit {
  kind: string;
  id: string;
  name: string;
  path: string;
}
