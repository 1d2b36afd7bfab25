import { describe, expect, test } from "vitest";

import type { Swap } from "@/api/types";
import { worldMake } from "@/fake/engine";
import { idOf } from "@/fake/random";
import { railOf } from "@/pages/swap/phases";

const world = worldMake(Date.UTC(2026, 2, 1));
const swap = (number: number) => world.swaps.get(idOf("swap", number)) as Swap;
const states = (number: number) => railOf(swap(number)).map(({ key, state }) => `${key} ${state}`);

describe("the rail", () => {
  test("shows what is behind, what runs, and what is to come", () => {
    expect(states(1)).toEqual([
      "proposed done",
      "planned done",
      "awaiting_approval current",
      "approved ahead",
      "preparing ahead",
      "verifying ahead",
      "cutting_over ahead",
      "watching ahead",
      "completed ahead",
    ]);
  });

  test("ends where the swap ended, without what never came", () => {
    expect(states(6).slice(-2)).toEqual(["aborting done", "aborted stopped"]);
    expect(states(7).at(-1)).toBe("failed stopped");
    expect(states(4).at(-1)).toBe("completed done");
  });

  test("of a takeover has only its own three phases", () => {
    expect(states(5)).toEqual(["taking_over done", "watching done", "completed done"]);
  });

  test("says who acted, and until when the present phase may last", () => {
    const rail = railOf(swap(1));
    expect(rail[0]?.actor).toBe("by risk policy");
    expect(rail[2]?.deadlineAt).not.toBeNull();
    expect(rail[3]?.enteredAt).toBeNull();
  });

  test("of a plan that was made twice shows the second time", () => {
    const revised = structuredClone(swap(1));
    revised.phases.push({ ...(revised.phases[1] as Swap["phases"][number]), entered_at: "2026-02-28T23:59:59Z" });
    expect(railOf(revised).find(({ key }) => key === "planned")?.enteredAt).toBe("2026-02-28T23:59:59Z");
  });
});
