/** Answers of the fake: pages, problems, and the loading of a request's body. */
import { HttpResponse } from "msw";

import type { Page, ProblemBody } from "@/api/types";

import type { World } from "./world";

export function problem(status: number, code: string, detail: string, extra: Partial<ProblemBody> = {}) {
  const body: ProblemBody = { type: `urn:hotswap:problem:${code}`, title: code, status, detail, code, ...extra };
  return HttpResponse.json(body, { status, headers: { "Content-Type": "application/problem+json" } });
}

export const notFound = () => problem(404, "not_found", "There is no such thing.");

/** Cuts a list by cursor, as the plane does; the cursor here is simply where to go on. */
export function page<T>(url: string, rows: readonly T[]) {
  const address = new URL(url);
  const limit = Math.min(Number(address.searchParams.get("limit") ?? 50), 200);
  const start = Number(address.searchParams.get("cursor") ?? 0);
  const end = start + limit;
  address.searchParams.set("cursor", String(end));
  const body: Page<T> = {
    next: end < rows.length ? address.toString() : null,
    previous: null,
    results: rows.slice(start, end),
  };
  return HttpResponse.json(body);
}

export const queryOf = (url: string, name: string): string => new URL(url).searchParams.get(name) ?? "";

export const isAllowed = (world: World, role: string): boolean =>
  world.me?.tenants[0]?.roles.some((one) => one === role) ?? false;
