/** Approve and refuse, as the second person, as the first, and as one who comes late. */
import { screen, waitFor, within } from "@testing-library/react";
import { http } from "msw";
import { describe, expect, test } from "vitest";

import { problem } from "@/fake/answers";
import { idOf } from "@/fake/random";
import { ADA } from "@/fake/seedSwaps";

import { expectAccessible } from "../support/axe";
import { heading, open } from "../support/screen";

const SWAP = `/swaps/${idOf("swap", 1)}`;

describe("deciding", () => {
  test("a second person approves this very plan, and the swap goes on", async () => {
    const { user, world } = open(SWAP, { as: "ada" });
    await user.click(await screen.findByRole("button", { name: "Approve this plan" }));
    const dialog = await screen.findByRole("dialog");
    await expectAccessible(dialog);
    await user.click(within(dialog).getByRole("button", { name: "Approve" }));
    await waitFor(() => expect(world.swaps.get(idOf("swap", 1))?.state).toBe("approved"));
    // decided and executed are two facts
    expect(await screen.findByText("not yet", { selector: ".strong" })).toBeTruthy();
    expect(screen.getAllByText("Ada Lindqvist").length).toBeGreaterThan(0);
  });

  test("a refusal needs a reason", async () => {
    const { user, world } = open(SWAP, { as: "ada" });
    await user.click(await screen.findByRole("button", { name: "Refuse this plan" }));
    const dialog = await screen.findByRole("dialog");
    const refuse = within(dialog).getByRole("button", { name: "Refuse" });
    expect(refuse).toHaveProperty("disabled", true);
    await user.type(within(dialog).getByRole("textbox"), "too early");
    await user.click(refuse);
    await waitFor(() => expect(world.approvals.get(idOf("approval", 1))?.reason).toBe("too early"));
  });

  test("who may not decide is told why, and who could", async () => {
    open(SWAP, { as: "otto" });
    const approve = await screen.findByRole("button", { name: "Approve this plan" });
    expect(approve).toHaveProperty("disabled", true);
    expect(screen.getByText("Needs the role approver.")).toBeTruthy();
    expect(screen.getByText("Who could decide: Ada Lindqvist.")).toBeTruthy();
  });

  test("a decision that comes second says who was first, and when", async () => {
    const first = { decided_by: ADA, decided_at: "2026-03-01T12:00:00Z" };
    const late = http.post("/api/v1/approvals/:id/approve", () => problem(409, "already_decided", "Decided.", first));
    const { user } = open(SWAP, { as: "ada", before: [late] });
    await user.click(await screen.findByRole("button", { name: "Approve this plan" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Approve" }));
    const said = await screen.findByRole("alert");
    expect(said.textContent).toMatch(/Already decided by Ada Lindqvist at .*2026/);
  });

  test("the key `a` asks once more before it approves", async () => {
    const { user, world } = open(SWAP, { as: "ada" });
    await screen.findByRole("button", { name: "Approve this plan" });
    await user.keyboard("a");
    await screen.findByRole("dialog");
    expect(world.approvals.get(idOf("approval", 1))?.state).toBe("pending");
  });
});

describe("giving a swap up", () => {
  test("the button names the effect, and the operator's reason goes with it", async () => {
    const { user, world } = open(`/swaps/${idOf("swap", 2)}`);
    await heading("n7 → n12");
    await user.click(await screen.findByRole("button", { name: "Abort this swap" }));
    expect(screen.getByText("The job stays on n7; nothing changes for it.")).toBeTruthy();
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByRole("textbox"), "not tonight");
    await user.click(within(dialog).getByRole("button", { name: "Abort this swap" }));
    await waitFor(() => expect(world.swaps.get(idOf("swap", 2))?.state).toBe("aborted"));
  });

  test("too late, the button is disabled and says why", async () => {
    open(`/swaps/${idOf("swap", 3)}`);
    const abort = await screen.findByRole("button", { name: "Abort this swap" });
    expect(abort).toHaveProperty("disabled", true);
    expect(screen.getByText(/The rank has changed hands/)).toBeTruthy();
  });
});
