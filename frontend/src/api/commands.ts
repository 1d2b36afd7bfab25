/** What can be done: one function per decision a person takes. */
import { request } from "./client";
import type {
  Agent,
  AuditVerdict,
  Brake,
  Hold,
  MadeEnrolToken,
  MadeToken,
  MadeWebhook,
  Me,
  NodeState,
  Scope,
  Swap,
  SwapLimits,
} from "./types";

export const signIn = (username: string, password: string) =>
  request<Me>("/session", { method: "POST", body: { username, password } });

export const signOut = () => request<void>("/session", { method: "DELETE" });

export const nodeStateChange = (id: string, state: NodeState, reason: string) =>
  request<unknown>("/nodes/{id}/state", { id, method: "POST", body: { state, reason } });

export interface SwapProposal {
  job: string;
  rank: number;
  target_node: string | null;
  reason: string;
}

/** Proposes a swap; the key makes a second click on the same form propose nothing more. */
export const swapPropose = (proposal: SwapProposal, idempotencyKey: string) =>
  request<Swap>("/swaps", { method: "POST", body: proposal, idempotencyKey });

export const swapAbort = (id: string, reason: string) =>
  request<unknown>("/swaps/{id}/abort", { id, method: "POST", body: { reason } });

export const jobStop = (id: string, reason: string) =>
  request<unknown>("/jobs/{id}/stop", { id, method: "POST", body: { reason } });

export const approvalApprove = (id: string, planDigest: string, reason: string) =>
  request<unknown>("/approvals/{id}/approve", {
    id,
    method: "POST",
    body: reason ? { plan_digest: planDigest, reason } : { plan_digest: planDigest },
  });

export const approvalRefuse = (id: string, planDigest: string, reason: string) =>
  request<unknown>("/approvals/{id}/refuse", {
    id,
    method: "POST",
    body: { plan_digest: planDigest, reason },
  });

export const brakeSet = (tenant: string, engaged: boolean, reason: string) =>
  request<Brake>("/swaps/brake", { method: "PUT", body: { tenant, engaged, reason } });

export const limitsSet = (tenant: string, limits: SwapLimits) =>
  request<SwapLimits>("/swaps/limits", { method: "PUT", body: { tenant, ...limits } });

export const holdRelease = (id: string) => request<Hold>("/swaps/holds/{id}/release", { id, method: "POST" });

export interface TokenWish {
  tenant: string;
  name: string;
  scopes: Scope[];
  expires_at: string | null;
}

export const tokenCreate = (wish: TokenWish, idempotencyKey: string) =>
  request<MadeToken>("/tokens", { method: "POST", body: wish, idempotencyKey });

export const tokenRevoke = (id: string) => request<void>("/tokens/{id}", { id, method: "DELETE" });

export const enrolTokenCreate = (wish: { tenant: string; node: string }, idempotencyKey: string) =>
  request<MadeEnrolToken>("/enrol-tokens", { method: "POST", body: wish, idempotencyKey });

export const agentRevoke = (id: string, reason: string) =>
  request<Agent>("/agents/{id}/revoke", { id, method: "POST", body: { reason } });

export interface WebhookWish {
  tenant: string;
  url: string;
  /** None of them means all. */
  kinds: string[];
}

export const webhookCreate = (wish: WebhookWish, idempotencyKey: string) =>
  request<MadeWebhook>("/webhooks", { method: "POST", body: wish, idempotencyKey });

export const webhookRemove = (id: string) => request<void>("/webhooks/{id}", { id, method: "DELETE" });

export const auditVerify = (tenant: string) =>
  request<AuditVerdict>("/audit/verify", { method: "POST", body: { tenant } });
