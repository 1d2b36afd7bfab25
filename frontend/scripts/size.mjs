// Adds up the script that the first load of the overview takes, compressed, from the build's manifest.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

/** The bar of the design: first load, gzip. */
export const FIRST_LOAD_NBYTES_MAX = 200_000;

/** Returns {file: bytes} for the entry, the page, and all they import before anything is drawn. */
export function firstLoad(dist) {
  const manifest = JSON.parse(readFileSync(`${dist}/.vite/manifest.json`, "utf8"));
  const files = new Map();
  const take = (key) => {
    const chunk = manifest[key];
    if (files.has(chunk.file)) return;
    files.set(chunk.file, gzipSync(readFileSync(`${dist}/${chunk.file}`), { level: 9 }).length);
    for (const imported of chunk.imports ?? []) take(imported);
  };
  take("index.html");
  take("src/pages/overview/Overview.tsx");
  return files;
}

export const total = (files) => [...files.values()].reduce((sum, nbytes) => sum + nbytes, 0);

if (import.meta.url === `file://${process.argv[1]}`) {
  const files = firstLoad(process.argv[2] ?? "dist");
  for (const [file, nbytes] of [...files].toSorted((one, other) => other[1] - one[1])) {
    console.log(`${String(nbytes).padStart(8)}  ${file}`);
  }
  console.log(`${String(total(files)).padStart(8)}  of ${FIRST_LOAD_NBYTES_MAX}`);
}
