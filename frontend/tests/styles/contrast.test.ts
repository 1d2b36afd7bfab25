// @vitest-environment node
/** Text keeps WCAG AA against every ground that it stands on, shapes of grades keep 3 to 1, in both themes. */
import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

const sheet = readFileSync(new URL("../../src/styles/tokens.css", import.meta.url), "utf8");

const tokensOf = (block: string): Record<string, string> =>
  Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map(([, name = "", value = ""]) => [name, value]));

const [light = "", dark = ""] = sheet.split('[data-mantine-color-scheme="dark"]');
const themes = { light: tokensOf(light), dark: { ...tokensOf(light), ...tokensOf(dark) } };

/** Relative luminance, as WCAG 2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const GROUNDS = ["canvas", "surface", "sunken", "hover"];

const TEXTS: readonly (readonly [string, readonly string[]])[] = [
  ["ink", [...GROUNDS, "grade-medium-soft", "grade-high-soft", "grade-critical-soft"]],
  ["ink-2", [...GROUNDS, "grade-medium-soft", "grade-high-soft", "grade-critical-soft"]],
  ["ink-3", GROUNDS],
  ["accent", ["canvas", "surface"]],
  ["accent-strong", ["accent-soft", "surface"]],
  ["accent-ink", ["accent", "accent-strong"]],
  ["surface", ["ink", "ink-2"]],
];

const SHAPES: readonly (readonly [string, readonly string[]])[] = [
  ["grade-low", ["surface", "sunken"]],
  ["grade-medium", ["surface", "grade-medium-soft"]],
  ["grade-high", ["surface", "grade-high-soft"]],
  ["grade-critical", ["surface", "grade-critical-soft"]],
  ["grade-unknown", ["surface"]],
  ["control", ["surface"]],
  ["accent", ["sunken"]],
];

const tooFaint = (tokens: Record<string, string>, pairs: typeof TEXTS, least: number): string[] =>
  pairs.flatMap(([text, grounds]) =>
    grounds.flatMap((ground) => {
      const found = contrast(tokens[text] ?? "", tokens[ground] ?? "");
      return found >= least ? [] : [`${text} on ${ground}: ${found.toFixed(2)}`];
    }),
  );

describe.each(Object.entries(themes))("in the %s theme", (_name, tokens) => {
  test("text can be read", () => expect(tooFaint(tokens, TEXTS, 4.5)).toEqual([]));
  test("shapes and controls can be seen", () => expect(tooFaint(tokens, SHAPES, 3)).toEqual([]));
});
