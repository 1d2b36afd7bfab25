/**
 * The words the dashboard shares with the REST API, by names of its own. Pages and charts import
 * types from here and from nowhere else; what stands behind a name is generated from the schema.
 */
import type { components } from "@/generated/schema";

type Schemas = components["schemas"];

/** An answer has all of its fields: the schema lets those with a default be left out in requests. */
type Sent<T> = T extends readonly (infer Item)[]
  ? Sent<Item>[]
  : T extends object
    ? { -readonly [Name in keyof T]-?: Sent<T[Name]> }
    : T;

export type Grade = Schemas["GradeEnum"];
export type NodeState = FleetNode["state"];
export type Protection = Schemas["ProtectionEnum"];
export type JobState = Schemas["JobOutStateEnum"];
export type Role = Schemas["RolesEnum"];
export type ApprovalState = "pending" | "approved" | "refused" | "expired" | "void";

export interface Page<T> {
  next: string | null;
  previous: string | null;
  results: T[];
}

/** RFC 9457 problem details, with what a decision that came second is told. */
export type ProblemBody = Schemas["Problem"] & { decided_by?: ActorRef | string; decided_at?: string };

export type Me = Sent<Schemas["Me"]>;
export type TenantRoles = Me["tenants"][number];

export interface ActorRef {
  kind: string;
  id: string;
  name: string;
}

export type NodeRef = Sent<Schemas["NodeRefOut"]>;

export interface JobRef {
  id: string;
  name: string;
}

export type Cluster = Sent<Schemas["ClusterOut"]>;
export type RankRef = Sent<Schemas["RankOut"]>;
export type NodeTile = Sent<Schemas["TileOut"]>;
export type Layout = Sent<Schemas["LayoutOut"]>;
export type Rack = Layout["racks"][number];
export type Domain = Sent<Schemas["DomainOut"]>;

/** A node as it is listed. */
export type FleetNode = Sent<Schemas["NodeOut"]>;
/** A node with why it has its grade, its devices, and what one can do. */
export type NodeDetail = Sent<Schemas["NodeDetailOut"]>;
export type Contribution = NodeDetail["verdict"]["contributions"][number];
export type NodeEvent = Sent<Schemas["NodeEventOut"]>;
export type SignalLine = Omit<Sent<Schemas["LineOut"]>, "points"> & { points: { at: string; value: number | null }[] };
export type Signals = Omit<Sent<Schemas["SignalsOut"]>, "signals"> & { signals: SignalLine[] };
/** The published rule that makes grades. */
export type RuleBook = Sent<Schemas["RuleBookOut"]>;
/** A spare that might take over, or why it cannot. */
export type SpareChoice = Sent<Schemas["SpareOut"]>;

export type Job = Sent<Schemas["JobOut"]>;
export type LossCurve = Sent<Schemas["CurveOut"]>;
export type LossPoint = LossCurve["points"][number];
export type RankRow = Sent<Schemas["RankRowOut"]>;
export type JobEvent = Sent<Schemas["JobEventOut"]>;

/** What the schema leaves as text, narrowed: a swap's nodes carry a grade. */
type WithNodes<T> = Omit<T, "source_node" | "target_node"> & {
  source_node: NodeRef | null;
  target_node: NodeRef | null;
};

export type SwapSummary = WithNodes<Sent<Schemas["SwapSummary"]>>;

export type Swap = WithNodes<Omit<Sent<Schemas["Swap"]>, "evidence" | "plan">> & {
  evidence: unknown;
  plan: Plan | null;
};
export type Plan = Omit<Sent<Schemas["SwapPlan"]>, "document"> & { document: unknown };
export type Phase = Swap["phases"][number];
export type AllowedAction = Swap["allowed"][number];
export type Band = NonNullable<Swap["band"]>;
export type Constraint = Plan["constraints"][number];
export type SwapEvent = Omit<Sent<Schemas["SwapEvent"]>, "detail"> & { detail: Record<string, unknown> };
export type Certificate = Omit<Sent<Schemas["Certificate"]>, "document"> & { document: Record<string, unknown> };
export type Brake = Sent<Schemas["Brake"]>;
/** How many planned swaps of a tenant may be under way at once. */
export type SwapLimits = Omit<Sent<Schemas["Limits"]>, "tenant">;
/** A rank for which no planned swap is proposed any more. */
export type Hold = Sent<Schemas["Hold"]>;

export type Approval = Omit<Sent<Schemas["Request"]>, "state"> & { state: ApprovalState };
/** One approval with the document that is decided about. */
export type ApprovalDetail = Omit<Sent<Schemas["RequestDetail"]>, "state" | "document"> & {
  state: ApprovalState;
  document: Record<string, unknown>;
};

export type AuditEntry = Omit<Sent<Schemas["Entry"]>, "detail"> & { detail: Record<string, unknown> };
export type AuditVerdict = Sent<Schemas["VerdictShown"]>;

type OverviewSent = Sent<Schemas["OverviewOut"]>;

export type Spares = OverviewSent["spares"];

export type Overview = Omit<OverviewSent, "swaps_open" | "last_swap"> & {
  swaps_open: SwapSummary[];
  last_swap: SwapSummary | null;
};

export type Scope = Schemas["ScopesEnum"];
/** A token of a program, without its text. */
export type ApiToken = Sent<Schemas["Token"]>;
/** A token with its text, which is shown this once. */
export type MadeToken = Sent<Schemas["MadeToken"]>;

/** The agent of a node, with its certificate. */
export type Agent = Sent<Schemas["AgentShown"]>;
/** A token for one node's agent with its text, which is shown this once. */
export type MadeEnrolToken = Sent<Schemas["MadeEnrolToken"]>;

export type Webhook = Sent<Schemas["WebhookOut"]>;
/** A webhook with its secret, which is shown this once. */
export type MadeWebhook = Sent<Schemas["WebhookMadeOut"]>;
export type Delivery = Sent<Schemas["DeliveryOut"]>;

export type SearchHit = Sent<Schemas["HitOut"]>;
