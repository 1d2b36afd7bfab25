/** What the fake's tenant has set: limits, a held rank, tokens, agents and webhooks. */
import { digestOf, idOf } from "./random";
import type { World } from "./world";
import { iso, must } from "./world";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const URL_OF_PAGER = "https://pager.example.org/hooks/hotswap";

const certificate = (node: string) => ({ serial: digestOf(node).slice(7, 23), fingerprint: digestOf(`${node}'s`) });

export function settingsSeed(world: World): void {
  const tenant = idOf("tenant", 1);
  const ago = (ms: number): string => iso(world.now - ms);
  const job = must(world.jobs.get(idOf("job", 3)), "job");
  world.holds = [
    { id: idOf("hold", 1), tenant, job: { id: job.id, name: job.name }, rank: 0, cause: "digest_mismatch", created_at: ago(5 * HOUR_MS), released_at: null, released_by: null },
  ];
  const token = { tenant, owner: "otto", revoked_at: null, last_used_at: null };
  world.tokens = [
    { ...token, id: idOf("token", 1), name: "nightly report", prefix: "hst_8cQ2", scopes: ["audit:read", "read"], created_at: ago(9 * DAY_MS), expires_at: iso(world.now + 81 * DAY_MS), last_used_at: ago(7 * HOUR_MS) },
    { ...token, id: idOf("token", 2), name: "scheduler", prefix: "hst_Zr41", scopes: ["jobs:write", "read"], created_at: ago(40 * DAY_MS), expires_at: null, owner: "ada" },
    { ...token, id: idOf("token", 3), name: "old laptop", prefix: "hst_Lm90", scopes: ["read"], created_at: ago(200 * DAY_MS), expires_at: ago(20 * DAY_MS), revoked_at: ago(60 * DAY_MS), last_used_at: ago(61 * DAY_MS) },
  ];
  const agent = { tenant, version: "0.1.0", revoked_at: null, last_seen_at: ago(1_000) };
  world.agents = [
    { ...agent, ...certificate("n3"), id: idOf("agent", 1), node: "n3", created_at: ago(12 * DAY_MS), certificate_expires_at: iso(world.now + 78 * DAY_MS) },
    { ...agent, ...certificate("n5"), id: idOf("agent", 2), node: "n5", created_at: ago(95 * DAY_MS), certificate_expires_at: ago(5 * DAY_MS), last_seen_at: ago(6 * DAY_MS) },
    { ...agent, ...certificate("n9"), id: idOf("agent", 3), node: "n9", created_at: ago(3 * DAY_MS), certificate_expires_at: iso(world.now + 87 * DAY_MS), last_seen_at: null },
  ];
  world.webhooks = [
    { id: idOf("webhook", 1), tenant, url: URL_OF_PAGER, kinds: ["brake.changed", "swap.changed"], creator: "root", created_at: ago(30 * DAY_MS) },
    { id: idOf("webhook", 2), tenant, url: "https://chat.example.org/services/T0/B0/hotswap", kinds: [], creator: "root", created_at: ago(2 * DAY_MS) },
  ];
  const delivery = { webhook: idOf("webhook", 1), kind: "swap.changed", attempts: 1, problem: "", answer_status: 200, delivered_at: null };
  world.deliveries = [
    { ...delivery, id: idOf("delivery", 1), state: "pending", attempts: 2, answer_status: 503, problem: "the receiver answered 503", due_at: iso(world.now + 40_000), created_at: ago(35_000) },
    { ...delivery, id: idOf("delivery", 2), state: "delivered", due_at: ago(90_000), created_at: ago(90_500), delivered_at: ago(90_000) },
    { ...delivery, id: idOf("delivery", 3), kind: "brake.changed", state: "given_up", attempts: 8, answer_status: null, problem: "no answer within 10 s", due_at: ago(DAY_MS), created_at: ago(2 * DAY_MS) },
  ];
}
