import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Serves the fake backend's service worker to the browser, without a copy of it in the tree. */
function fakeWorker(): Plugin {
  const source = here("./node_modules/msw/lib/mockServiceWorker.js");
  return {
    name: "hotswap-fake-worker",
    configureServer(server) {
      server.middlewares.use("/mockServiceWorker.js", (_request, response) => {
        response.setHeader("Content-Type", "text/javascript");
        response.end(readFileSync(source));
      });
    },
  };
}

/** Smaller than this, a file is not worth a compressed twin. */
const COMPRESSED_NBYTES_MIN = 1024;

/** Writes a .gz and a .br beside each text of the build, for the server to hand out as they are. */
function compressedTwins(): Plugin {
  return {
    name: "hotswap-compressed-twins",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        for (const [fileName, file] of Object.entries(bundle)) {
          const source = Buffer.from(file.type === "chunk" ? file.code : file.source);
          if (source.length < COMPRESSED_NBYTES_MIN || !/\.(js|css|svg)$/.test(fileName)) continue;
          this.emitFile({ type: "asset", fileName: `${fileName}.gz`, source: gzipSync(source, { level: 9 }) });
          this.emitFile({ type: "asset", fileName: `${fileName}.br`, source: brotliCompressSync(source) });
        }
      },
    },
  };
}

// where `npm run dev` finds a running control plane
const plane = process.env.HOTSWAP_PLANE_URL ?? "http://127.0.0.1:8080";

export default defineConfig(({ mode }) => ({
  plugins: [react(), compressedTwins(), ...(mode === "fake" ? [fakeWorker()] : [])],
  base: process.env.HOTSWAP_FRONTEND_BASE ?? "/",
  resolve: { alias: { "@": here("./src") } },
  build: {
    target: "es2022",
    manifest: true,
    // a content policy may forbid data: addresses, so nothing is inlined
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
  },
  server: {
    host: "127.0.0.1",
    port: 5173,
    proxy: {
      "/api": { target: plane },
      "/ws": { target: plane, ws: true },
    },
  },
  test: {
    environment: "jsdom",
    include: ["tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    css: false,
    testTimeout: 300_000,
    // two workers: the machine that runs the whole suite has other work to do
    maxWorkers: 2,
    restoreMocks: true,
  },
}));
