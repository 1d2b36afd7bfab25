import { describe, expect, test } from "vitest";

import type { Job, Overview } from "@/api/types";
import { remarksOf, sentenceOf } from "@/pages/overview/attention";

const quiet: Overview = {
  jobs: [],
  nodes_by_grade: { critical: 0, high: 0, medium: 2, low: 9, unknown: 0 },
  spares: { ready: 1, reserved: 0, unfit: 0, percent: 9, target_percent: 5 },
  swaps_open: [],
  approvals_waiting_for_me: 0,
  last_swap: null,
  at: "2026-03-01T00:00:00Z",
};

const say = (change: Partial<Overview>) => sentenceOf(remarksOf({ ...quiet, ...change }));
const job = (protection: Job["protection"], state: Job["state"] = "running") => ({ id: "1", name: "gpt", protection, state }) as Job;

describe("the first line", () => {
  test("is quiet when all is quiet", () => expect(say({})).toBe("All quiet. Nothing needs you."));
  test("names first what waits for the viewer", () => {
    expect(say({ approvals_waiting_for_me: 2, jobs: [job("unprotected")] })).toBe("2 approvals wait for you, gpt is unprotected.");
  });
  test("tells unknown from well", () => {
    expect(say({ jobs: [job("unknown")] })).toBe("Protection of gpt is unknown.");
    expect(say({ nodes_by_grade: { ...quiet.nodes_by_grade, unknown: 1 } })).toBe("1 node has an unknown grade.");
  });
  test("does not ask for the protection of a job that does not run", () => {
    expect(say({ jobs: [job("unknown", "finished")] })).toBe("All quiet. Nothing needs you.");
  });
  test("says when the reserve is short, not when it is unknown", () => {
    expect(say({ spares: { ...quiet.spares, percent: 2 } })).toBe("Fewer spares stand by than should.");
    expect(say({ spares: { ...quiet.spares, percent: null } })).toBe("All quiet. Nothing needs you.");
  });
});
