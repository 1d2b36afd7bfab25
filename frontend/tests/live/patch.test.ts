import { QueryClient } from "@tanstack/react-query";
import { beforeEach, describe, expect, test, vi } from "vitest";

import type { Job, LossCurve } from "@/api/types";
import { jobQuery, jobsQuery, lossQuery } from "@/api/queries";
import { worldMake } from "@/fake/engine";
import { idOf } from "@/fake/random";
import { deltaApply } from "@/live/patch";

const ID = idOf("job", 1);
const job = worldMake(Date.UTC(2026, 2, 1)).jobs.get(ID) as Job;
const curve: LossCurve = {
  points: [{ epoch: 3, step: 1240, loss: 3, validation_loss: null, step_s: 0.4 }],
  steps: 1,
  thinned: false,
  truncated: false,
};

const progress = (fields: Record<string, unknown>) => ({ kind: "job.progress", payload: { id: ID, ...fields } });

let client: QueryClient;

beforeEach(() => {
  client = new QueryClient();
  client.setQueryData(jobQuery(ID).queryKey, job);
  client.setQueryData(lossQuery(ID).queryKey, curve);
  client.setQueryData(jobsQuery({}).queryKey, { pages: [{ next: null, previous: null, results: [job] }], pageParams: [null] });
});

const cachedJob = () => client.getQueryData(jobQuery(ID).queryKey);
const cachedPoints = () => client.getQueryData(lossQuery(ID).queryKey)?.points ?? [];

describe("progress of a job", () => {
  test("reaches its page, its row and its curve at once", () => {
    deltaApply(client, progress({ epoch: 3, step: 1241, committed_step: 1241, loss: 2.5, validation_loss: null, step_s: 0.5, protection: "catching_up" }));
    expect(cachedJob()).toMatchObject({ committed_step: 1241, loss: 2.5, step_time_s: 0.5, protection: "catching_up" });
    const row = client.getQueryData(jobsQuery({}).queryKey)?.pages[0]?.results[0];
    expect(row).toMatchObject({ committed_step: 1241, loss: 2.5 });
    expect(cachedPoints().map(({ step }) => step)).toEqual([1240, 1241]);
  });

  test("without a validation keeps the last validation loss", () => {
    deltaApply(client, progress({ epoch: 3, step: 1241, loss: 2.5, validation_loss: null }));
    expect(cachedJob()?.validation_loss).toBe(job.validation_loss);
  });

  test("told twice for one epoch and step is one point; for another epoch it is a second", () => {
    deltaApply(client, progress({ epoch: 3, step: 1240, loss: 9 }));
    expect(cachedPoints()).toHaveLength(1);
    expect(cachedPoints()[0]?.loss).toBe(9);
    deltaApply(client, progress({ epoch: 4, step: 1240, loss: 8 }));
    expect(cachedPoints()).toHaveLength(2);
  });

  test("that tells of several steps fills the curve with each, and asks for nothing", () => {
    const invalidate = vi.spyOn(client, "invalidateQueries");
    const points = [1241, 1242, 1243].map((step) => ({ epoch: 3, step, loss: 2, validation_loss: null, step_s: 0.4 }));
    deltaApply(client, progress({ epoch: 3, step: 1243, loss: 2, points, complete: true }));
    expect(cachedPoints().map(({ step }) => step)).toEqual([1240, 1241, 1242, 1243]);
    expect(invalidate).not.toHaveBeenCalled();
  });

  test("that leaves out steps has the curve read anew at once, and again for what was left out meanwhile", () => {
    vi.useFakeTimers();
    const invalidate = vi.spyOn(client, "invalidateQueries");
    for (const step of [1250, 1260, 1270]) deltaApply(client, progress({ epoch: 3, step, loss: 2 }));
    expect(invalidate).toHaveBeenCalledTimes(1);
    vi.runAllTimers();
    expect(invalidate).toHaveBeenCalledTimes(2);
    vi.useRealTimers();
  });

  test("adds no field that the cache does not hold", () => {
    deltaApply(client, progress({ epoch: 3, step: 1241, loss: 2, secret: "x" }));
    expect(cachedJob()).not.toHaveProperty("secret");
  });

  test("of a job that nobody looks at does nothing", () => {
    deltaApply(client, { kind: "job.progress", payload: { id: "other", epoch: 1, step: 1 } });
    expect(client.getQueryData(["job", "other", "detail"])).toBeUndefined();
  });
});

test("another change patches its object and reads anew what follows from it", () => {
  const invalidate = vi.spyOn(client, "invalidateQueries");
  client.setQueryData(["swap", "s", "detail"], { id: "s", state: "approved" });
  deltaApply(client, { kind: "swap.changed", payload: { id: "s", state: "preparing" } });
  expect(client.getQueryData(["swap", "s", "detail"])).toEqual({ id: "s", state: "preparing" });
  const keys = invalidate.mock.calls.map(([filters]) => filters?.queryKey?.[0]);
  expect(keys).toEqual(expect.arrayContaining(["swap", "overview", "approval", "audit", "layout"]));
});
