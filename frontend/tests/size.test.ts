// @vitest-environment node
/** The first load's script, measured on a build of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { build } from "vite";
import { expect, test, vi } from "vitest";

import { FIRST_LOAD_NBYTES_MAX, firstLoad, total } from "../scripts/size.mjs";

test("the first load takes less than 200 kB of compressed script, and no chart in it", async () => {
  const dist = mkdtempSync(join(tmpdir(), "hotswap-size-"));
  // a build that takes the tests' own mode would carry the tools of development
  vi.stubEnv("NODE_ENV", "production");
  try {
    await build({ mode: "production", logLevel: "error", build: { outDir: dist, emptyOutDir: true } });
    const files = firstLoad(dist);
    expect(total(files)).toBeLessThan(FIRST_LOAD_NBYTES_MAX);
    expect([...files.keys()].filter((file) => file.includes("Plot"))).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    rmSync(dist, { recursive: true });
  }
}, 180_000);
