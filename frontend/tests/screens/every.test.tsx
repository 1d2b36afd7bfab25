/** Each screen: it opens, answers its question, and keeps WCAG 2.2 AA as far as axe can tell. */
import { screen } from "@testing-library/react";
import { describe, expect, test } from "vitest";

import { idOf } from "@/fake/random";
import type { World } from "@/fake/world";

import { expectAccessible } from "../support/axe";
import { heading, open } from "../support/screen";

interface Case {
  path: string;
  as?: "otto" | "ada" | "root";
  title: string | RegExp;
  /** Something that only the loaded page says. */
  says: RegExp;
  prepare?: (world: World) => void;
}

/** Enough of a chain to be looked at; axe takes its time for each row. */
const shortChain = (world: World): void => {
  world.audit = world.audit.slice(-8);
};

const CASES: Record<string, Case> = {
  overview: { path: "/", as: "ada", title: "Overview", says: /1 approval waits for you/ },
  "fleet as racks": { path: "/fleet", title: "Fleet", says: /8 nodes, worst high/ },
  "fleet as a list": { path: "/fleet?view=list", title: "Fleet", says: /h100-sxm-8/ },
  "a node": { path: `/nodes/${idOf("node", 100_003)}`, title: "n3", says: /at or above the high threshold/ },
  "a stale node": { path: `/nodes/${idOf("node", 100_009)}`, title: "n9", says: /No report in time/ },
  jobs: { path: "/jobs", title: "Jobs", says: /bert-distil/ },
  "a job": { path: `/jobs/${idOf("job", 1)}`, title: "gpt", says: /Micro-checkpoint written/ },
  "an unprotected job": { path: `/jobs/${idOf("job", 2)}`, title: "llama-sft", says: /has no mirror/ },
  swaps: { path: "/swaps", title: "Swaps", says: /n3 → n5/ },
  "a swap that waits": { path: `/swaps/${idOf("swap", 1)}`, as: "ada", title: "n3 → n5", says: /Approve this plan/ },
  "a swap under way": { path: `/swaps/${idOf("swap", 2)}`, title: "n7 → n12", says: /Abort this swap/ },
  "a swap that is watched": { path: `/swaps/${idOf("swap", 3)}`, title: "n14 → n1", says: /inside the band/ },
  "a takeover": { path: `/swaps/${idOf("swap", 5)}`, title: "n16 → n4", says: /has no plan of its own/ },
  "a swap that failed": { path: `/swaps/${idOf("swap", 7)}`, title: "n11 → n12", says: /differ in 1 of 148 units/ },
  approvals: { path: "/approvals", as: "ada", title: "Approvals", says: /Waiting for a decision/ },
  "an approval": { path: `/approvals/${idOf("approval", 1)}`, as: "ada", title: "Approval of a swap", says: /Risk of not doing/ },
  audit: { path: "/audit", as: "ada", prepare: shortChain, title: "Audit", says: /Verify the chain now/ },
  "an audit that one may not see": { path: "/audit", title: "Audit", says: /You may not see this/ },
  "swap safety": { path: "/settings", title: "Settings", says: /These are in force|Changing them needs the role admin/ },
  tokens: { path: "/settings/tokens", title: "Settings", says: /nightly report/ },
  agents: { path: "/settings/agents", title: "Settings", says: /Letting one in, and revoking it, needs the role admin/ },
  webhooks: { path: "/settings/webhooks", as: "root", title: "Settings", says: /pager\.example\.org/ },
  "a webhook": { path: `/settings/webhooks/${idOf("webhook", 1)}`, as: "root", title: "pager.example.org", says: /Given up/ },
  "an address that is none": { path: "/nowhere", title: "No such page", says: /Nothing is at this address/ },
};

describe("every screen", () => {
  test.each(Object.entries(CASES))("%s opens, and is accessible", async (_name, { path, as = "otto", title, says, prepare }) => {
    const { container } = open(path, prepare ? { as, prepare } : { as });
    await heading(title);
    expect((await screen.findAllByText(says)).length).toBeGreaterThan(0);
    await expectAccessible(container.ownerDocument.documentElement);
  });

  test("the sign-in page opens, and is accessible", async () => {
    const { container } = open("/", { as: null });
    await heading("Sign in");
    await expectAccessible(container.ownerDocument.documentElement);
  });
});
