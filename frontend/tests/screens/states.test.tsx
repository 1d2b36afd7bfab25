/** Loading, empty, failed, forbidden, unknown; and what happens live. */
import { screen, waitFor } from "@testing-library/react";
import { delay, http, HttpResponse } from "msw";
import { afterEach, describe, expect, test, vi } from "vitest";

import { problem } from "@/fake/answers";
import { tick } from "@/fake/engine";
import { idOf } from "@/fake/random";
import type { World } from "@/fake/world";

import { heading, open } from "../support/screen";

afterEach(() => vi.restoreAllMocks());

const GPT = `/jobs/${idOf("job", 1)}`;

describe("a view", () => {
  test("that waits shows a shape, and says that it loads", async () => {
    open("/", { before: [http.get("/api/v1/overview", () => delay("infinite"))] });
    expect((await screen.findAllByRole("status", { name: "Loading" })).length).toBeGreaterThan(0);
  });

  test("that failed says what, and can be tried again", async () => {
    let asked = 0;
    const broken = http.get("/api/v1/overview", () => {
      asked += 1;
      return problem(400, "broken", "The database is away.");
    });
    const { user } = open("/", { before: [broken] });
    expect(await screen.findByText("The overview could not be read")).toBeTruthy();
    expect(screen.getByText("The database is away.")).toBeTruthy();
    const before = asked;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(asked).toBeGreaterThan(before));
  });

  test("that is not answered in time says so, instead of asking anew unseen", async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    vi.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout(1_000));
    let asked = 0;
    const silent = http.get("/api/v1/overview", () => {
      asked += 1;
      return delay("infinite");
    });
    open("/", { before: [silent] });
    expect(await screen.findByText(/has not answered within 15 s/, undefined, { timeout: 5_000 })).toBeTruthy();
    expect(asked).toBe(1);
  });

  test("that is forbidden says who can grant it", async () => {
    const refused = http.get("/api/v1/jobs", () => problem(403, "forbidden", "This takes the role viewer.", { who_can: ["admin"] }));
    open("/jobs", { before: [refused] });
    expect(await screen.findByText("Who can grant it: admin.")).toBeTruthy();
  });

  test("of a thing that is not there says so", async () => {
    open(`/swaps/${idOf("swap", 999)}`);
    expect(await screen.findByText("This swap: not found")).toBeTruthy();
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Swap");
  });

  test("without rows says what would be there, and how to get it", async () => {
    open("/jobs", { prepare: (world: World) => world.jobs.clear() });
    expect(await screen.findByText("No job yet")).toBeTruthy();
    expect(screen.getByText(/hotswap run --agent/)).toBeTruthy();
  });

  test("without rows under a filter says that it is the filter", async () => {
    open("/jobs?state=failed", { prepare: (world: World) => world.jobs.clear() });
    expect(await screen.findByText("No job fits")).toBeTruthy();
    expect(screen.queryByText(/hotswap run/)).toBeNull();
  });
});

describe("what is not known", () => {
  test("is said to be unknown, and is no zero", async () => {
    open(`/jobs/${idOf("job", 6)}`);
    await heading("gpt-next");
    const step = await screen.findByText("Committed step");
    expect(step.parentElement?.textContent).toBe("Committed stepunknown");
  });
});

const silence = (world: World): void => {
  const job = world.jobs.get(idOf("job", 1));
  if (job) Object.assign(job, { stale: true, reported_at: new Date(Date.now() - 300_000).toISOString() });
};

describe("a job that is not heard of", () => {
  test("says since when, and its protection is unknown until progress is told", async () => {
    const { world } = open(GPT, { prepare: silence });
    expect(await screen.findByText("No report in time.")).toBeTruthy();
    expect(screen.getByText("Protection unknown")).toBeTruthy();
    await screen.findByText("Live");
    tick(world, 600);
    await waitFor(() => expect(screen.queryByText("No report in time.")).toBeNull());
  });
});

describe("live", () => {
  test("a committed step is on screen without asking anew", async () => {
    const { world } = open(GPT);
    await heading("gpt");
    await screen.findByText("Live");
    await screen.findByText(/1,240 steps/);
    tick(world, 600);
    await waitFor(() => expect(screen.getByText("Committed step").parentElement?.textContent).toBe("Committed step1,241"));
  });
});

describe("a rack", () => {
  test("is one stop of the tab key, and arrows go from tile to tile", async () => {
    const { user, path } = open("/fleet");
    const first = await screen.findByRole("link", { name: /^n1, / });
    const rack = screen.getByRole("region", { name: "rack-1" });
    expect(rack.querySelectorAll("a[tabindex='0']")).toHaveLength(1);
    first.focus();
    await user.keyboard("{ArrowRight}{ArrowRight}");
    expect(document.activeElement?.textContent).toMatch(/^n3/);
    expect(rack.querySelectorAll("a[tabindex='0']")).toHaveLength(1);
    await user.keyboard("{End}{ArrowRight}");
    expect(document.activeElement?.textContent).toMatch(/^n8/);
    await user.keyboard("{Home}{Enter}");
    await heading("n1");
    expect(path()).toBe(`/nodes/${idOf("node", 100_001)}`);
  });
});

describe("the frame", () => {
  test("keys go places, and ? lists them", async () => {
    const { user, path } = open("/");
    await heading("Overview");
    await user.keyboard("gs");
    await heading("Swaps");
    expect(path()).toBe("/swaps");
    await user.keyboard("?");
    expect(await screen.findByRole("dialog", { name: "Keyboard" })).toBeTruthy();
  });

  test("search finds a node by name, and goes there by the keyboard", async () => {
    const { user, path } = open("/");
    await heading("Overview");
    await user.keyboard("{Control>}k{/Control}");
    await user.type(await screen.findByRole("combobox"), "n14");
    await screen.findByRole("option", { name: /^n14Node/ });
    const wanted = screen.getAllByRole("option").findIndex((option) => option.textContent === "n14Node");
    await user.keyboard("{ArrowDown}".repeat(wanted));
    await user.keyboard("{Enter}");
    await heading("n14");
    expect(path()).toBe(`/nodes/${idOf("node", 100_014)}`);
  });

  test("signing in with a wrong password says so, with the right one goes on", async () => {
    const { user } = open("/swaps", { as: null });
    await user.type(await screen.findByLabelText("Name"), "otto");
    await user.type(screen.getByLabelText("Password"), "wrong");
    await user.click(screen.getByRole("button", { name: "Sign in" }));
    expect((await screen.findByRole("alert")).textContent).toBe("The name or the password is wrong.");
    await user.clear(screen.getByLabelText("Password"));
    await user.type(screen.getByLabelText("Password"), "hotswap");
    await user.click(screen.getByRole("button", { name: "Sign in" }));
    await heading("Swaps");
  });

  test("someone in no tenant is told who can help", async () => {
    const me = http.get("/api/v1/session", () =>
      HttpResponse.json({ id: "1", username: "nora", display_name: "", kind: "person", scopes: null, tenants: [], csrf_token: "" }),
    );
    open("/", { before: [me] });
    expect(await screen.findByText("You belong to no tenant yet")).toBeTruthy();
  });
});

describe("a list of ten thousand nodes", () => {
  test("draws only what is in sight, and sorts only once all are read", async () => {
    const { container } = open(`/fleet?view=list&cluster=${idOf("cluster", 2)}`, { large: true });
    await screen.findByText("b00001");
    expect(container.querySelectorAll("tbody tr").length).toBeLessThan(120);
    expect(screen.getByText(/200 shown, more below/)).toBeTruthy();
  });
});
