// Writes src/generated/schema.ts from the API's schema; with --check only says whether it is stale.
import { readFile, writeFile } from "node:fs/promises";

import openapiTS, { astToString } from "openapi-typescript";

const schema = new URL("../../docs/reference/openapi.json", import.meta.url);
const target = new URL("../src/generated/schema.ts", import.meta.url);

const header = "// Written by `npm run generate` from docs/reference/openapi.json. Not to be changed by hand.\n\n";
const tree = await openapiTS(schema, { alphabetize: true, immutable: false });
const text = header + astToString(tree);

if (process.argv.includes("--check")) {
  const kept = await readFile(target, "utf8").catch(() => "");
  if (kept !== text) {
    console.error("src/generated/schema.ts is stale: npm run generate");
    process.exit(1);
  }
} else {
  await writeFile(target, text);
}
