/** Settings: who may change what, what is shown once, and what a change does. */
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";

import { idOf } from "@/fake/random";

import { expectAccessible } from "../support/axe";
import { heading, open } from "../support/screen";

const dialog = async () => within(await screen.findByRole("dialog"));

describe("swap safety", () => {
  test("an admin changes the limits, within what they can be", async () => {
    const { user, world } = open("/settings", { as: "root" });
    const field = await screen.findByLabelText("In one job");
    const save = screen.getByRole("button", { name: "Save the limits" });
    expect(save).toHaveProperty("disabled", true);
    await user.clear(field);
    await user.type(field, "0");
    expect(screen.getByText("A number from 1 to 1000")).toBeTruthy();
    expect(save).toHaveProperty("disabled", true);
    await user.clear(field);
    await user.type(field, "3");
    await user.click(save);
    await waitFor(() => expect(world.limits).toEqual({ per_job: 3, per_rack: 1, per_tenant: 4 }));
    expect(await screen.findByText("These are in force.")).toBeTruthy();
  });

  test("who may not change something is told which role it takes", async () => {
    open("/settings", { as: "vera" });
    expect(await screen.findByText("Changing them needs the role admin.")).toBeTruthy();
    expect(await screen.findByText("Changing it needs the role operator.")).toBeTruthy();
    expect(await screen.findByText("Releasing needs the role operator.")).toBeTruthy();
    expect(screen.getByLabelText("In one job")).toHaveProperty("disabled", true);
    expect(await screen.findByRole("button", { name: "Release rank 0 of vit-l16" })).toHaveProperty("disabled", true);
    expect(screen.getByRole("button", { name: "Pull the brake" })).toHaveProperty("disabled", true);
  });

  test("the brake is pulled with a reason, and released", async () => {
    const { user, world } = open("/settings");
    await user.click(await screen.findByRole("button", { name: "Pull the brake" }));
    const pull = await dialog();
    await user.type(pull.getByRole("textbox"), "power works");
    await user.click(pull.getByRole("button", { name: "Pull the brake" }));
    await waitFor(() => expect(world.brake).toMatchObject({ engaged: true, reason: "power works" }));
    await user.click(await screen.findByRole("button", { name: "Release the brake" }));
    const release = await dialog();
    await user.type(release.getByRole("textbox"), "power is back");
    await user.click(release.getByRole("button", { name: "Release the brake" }));
    await waitFor(() => expect(world.brake.engaged).toBe(false));
  });

  test("a held rank is released, and then no rank is held", async () => {
    const { user, world } = open("/settings");
    await user.click(await screen.findByRole("button", { name: "Release rank 0 of vit-l16" }));
    await user.click((await dialog()).getByRole("button", { name: "Release the rank" }));
    expect(await screen.findByText("No rank is held")).toBeTruthy();
    expect(world.holds[0]?.released_by?.name).toBe("otto");
  });
});

describe("tokens", () => {
  test("one is made with scopes and an end; its text is shown once, and is to be copied", async () => {
    const { user, world } = open("/settings/tokens");
    await user.click(await screen.findByRole("button", { name: "New token" }));
    const form = await dialog();
    await expectAccessible(await screen.findByRole("dialog"));
    expect(form.getByRole("checkbox", { name: /^admin/ })).toHaveProperty("disabled", true);
    expect(form.getByText("needs the role approver, which you do not have")).toBeTruthy();
    await user.type(form.getByLabelText("Name"), "ci");
    await user.click(form.getByRole("checkbox", { name: /^jobs:write/ }));
    await user.selectOptions(form.getByLabelText("Expires after"), "30 days");
    await user.click(form.getByRole("button", { name: "Make the token" }));
    const secret = (await screen.findByTestId("secret")).textContent;
    const made = world.tokens[0];
    expect(made).toMatchObject({ name: "ci", scopes: ["read", "jobs:write"], owner: "otto" });
    expect(Math.round((Date.parse(made?.expires_at ?? "") - Date.now()) / 86_400_000)).toBe(30);
    // a key pressed by chance does not lose it
    await user.keyboard("{Escape}");
    await user.click(screen.getByRole("button", { name: "Copy" }));
    expect(await navigator.clipboard.readText()).toBe(secret);
    await user.click(screen.getByRole("button", { name: "I have kept it" }));
    await waitFor(() => expect(screen.queryByTestId("secret")).toBeNull());
    expect(await screen.findByText("hst_New4")).toBeTruthy();
  });

  test("one's own are listed, an admin sees all; one is revoked", async () => {
    const { user, world } = open("/settings/tokens");
    await user.click(await screen.findByRole("button", { name: "Revoke nightly report" }));
    expect(screen.queryByText("scheduler")).toBeNull();
    await user.click((await dialog()).getByRole("button", { name: "Revoke the token" }));
    await waitFor(() => expect(world.tokens[0]?.revoked_at).not.toBeNull());
    await waitFor(() => expect(screen.queryByRole("button", { name: "Revoke nightly report" })).toBeNull());
  });
});

describe("agents", () => {
  test("tell their certificate's state; one is revoked with a reason", async () => {
    const { user, world } = open("/settings/agents", { as: "root" });
    expect(await screen.findByText("Expired")).toBeTruthy();
    expect(screen.getByText("never")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Revoke the agent of n3" }));
    const asked = await dialog();
    expect(asked.getByRole("button", { name: "Revoke the agent" })).toHaveProperty("disabled", true);
    await user.type(asked.getByRole("textbox"), "the node was sold");
    await user.click(asked.getByRole("button", { name: "Revoke the agent" }));
    await waitFor(() => expect(world.agents[0]?.revoked_at).not.toBeNull());
    expect(await screen.findByText("Revoked")).toBeTruthy();
  });

  test("a node is enrolled with a token that is shown once, and how", async () => {
    const { user } = open("/settings/agents", { as: "root" });
    await user.click(await screen.findByRole("button", { name: "Enrol a node" }));
    const form = await dialog();
    await user.type(form.getByLabelText("Node"), "n17");
    await user.click(form.getByRole("button", { name: "Make a token" }));
    expect((await screen.findByTestId("secret")).textContent).toBe("hse_fake-text-for-n17");
    expect(screen.getByText(/hotswap agent .* --name n17 --authority-digest sha256:/)).toBeTruthy();
  });

  test("are an admin's to let in", async () => {
    open("/settings/agents");
    expect(await screen.findByRole("button", { name: "Revoke the agent of n3" })).toHaveProperty("disabled", true);
    expect(screen.getByRole("button", { name: "Enrol a node" })).toHaveProperty("disabled", true);
  });
});

describe("webhooks", () => {
  test("are an admin's business", async () => {
    open("/settings/webhooks");
    expect(await screen.findByText("You may not see this")).toBeTruthy();
  });

  test("an address that is refused is told; one that is taken shows its secret once", async () => {
    const { user, world } = open("/settings/webhooks", { as: "root" });
    await user.click(await screen.findByRole("button", { name: "New webhook" }));
    const form = await dialog();
    const field = form.getByLabelText("Address");
    await user.clear(field);
    await user.type(field, "http://ops.example.org/hook");
    await user.click(form.getByRole("checkbox", { name: /^job\.changed/ }));
    await user.click(form.getByRole("button", { name: "Make the webhook" }));
    expect((await form.findByRole("alert")).textContent).toBe("It must begin with https://.");
    await user.clear(field);
    await user.type(field, "https://ops.example.org/hook");
    await user.click(form.getByRole("button", { name: "Make the webhook" }));
    expect((await screen.findByTestId("secret")).textContent).toMatch(/^[0-9a-f]{64}$/);
    expect(world.webhooks[0]?.kinds).toEqual(["swap.changed", "brake.changed", "limits.changed", "hold.changed"]);
  });

  test("its page says what became of each delivery, and removes it", async () => {
    const { user, world, path } = open(`/settings/webhooks/${idOf("webhook", 1)}`, { as: "root" });
    await heading("pager.example.org");
    expect(await screen.findByText("the receiver answered 503")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Remove the webhook" }));
    await user.click((await dialog()).getByRole("button", { name: "Remove the webhook" }));
    await heading("Settings");
    expect(path()).toBe("/settings/webhooks");
    expect(world.webhooks.map(({ id }) => id)).toEqual([idOf("webhook", 2)]);
  });
});

describe("an export", () => {
  test("of nodes and jobs is the server's, with the filters on screen", async () => {
    open("/jobs?state=running");
    const link = await screen.findByRole("link", { name: "Export CSV" });
    expect(link.getAttribute("href")).toBe(`/api/v1/jobs/export?state=running&tenant=${idOf("tenant", 1)}&format=csv`);
  });
});
