import axe from "axe-core";
import { expect } from "vitest";

const OFF = {
  // jsdom lays nothing out: contrast is checked where a browser draws
  "color-contrast": { enabled: false },
  // a dialog's own header is no banner of the page; axe takes it for one, as it stands at the page's end
  "landmark-no-duplicate-banner": { enabled: false },
};

/** Fails with each rule that is broken and where. */
export async function expectAccessible(container: Element): Promise<void> {
  const { violations } = await axe.run(container, {
    rules: OFF,
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  });
  const said = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
  expect(said).toEqual([]);
}
