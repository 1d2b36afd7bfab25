import axe from "axe-core";
import { expect } from "vitest";

/** jsdom lays nothing out: contrast is checked where a browser draws, and regions by the frame's own test. */
const OFF_IN_JSDOM = { "color-contrast": { enabled: false } };

/** Fails with each rule that is broken and where. */
export async function expectAccessible(container: Element): Promise<void> {
  const { violations } = await axe.run(container, {
    rules: OFF_IN_JSDOM,
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  });
  const said = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
  expect(said).toEqual([]);
}
