/** The one door to the REST API: paths, cookies, problems, and the time of the last answer. */
import type { paths } from "@/generated/schema";

import type { ProblemBody } from "./types";

export const API_ROOT = "/api/v1";

/** Addresses below the root, as the schema has them: one that is gone there is a type error here. */
export type Route = keyof paths extends infer Path ? (Path extends `/api/v1${infer Rest}` ? Rest : never) : never;

/** No request waits longer; a slower answer is shown as a failure that can be tried again. */
const REQUEST_TIMEOUT_MS = 15_000;

const TOO_SLOW = "too_slow";

/** What a request that did not succeed says, as RFC 9457 problem details. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly body: ProblemBody;

  constructor(body: ProblemBody) {
    super(body.detail || body.title);
    this.body = body;
  }

  get status(): number {
    return this.body.status;
  }
}

export const isProblem = (error: unknown, ...statuses: number[]): error is Problem =>
  error instanceof Problem && (statuses.length === 0 || statuses.includes(error.status));

/** Whether somebody has waited for the whole time already. */
export const waitedInVain = (error: unknown): boolean => isProblem(error, 0) && error.body.code === TOO_SLOW;

let csrfToken = "";
let answeredAt = 0;

/** Keeps the token that every changing request of a signed-in browser carries. */
export function csrfTokenKeep(token: string): void {
  csrfToken = token;
}

/** When the plane last answered, in milliseconds since 1970; zero before the first answer. */
export const lastAnswerAt = (): number => answeredAt;

type Query = Record<string, string | number | boolean | null | undefined>;

export interface RequestOptions {
  /** What stands for `{id}` in the route. */
  id?: string;
  method?: "GET" | "POST" | "PUT" | "DELETE";
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
  /** Makes a repeated POST have one effect. */
  idempotencyKey?: string;
}

/** Returns a route's address with its id and query, leaving out what is not set. */
export function address(route: Route, id = "", query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  const path = route.replace("{id}", encodeURIComponent(id));
  return `${API_ROOT}${path}${text ? `?${text}` : ""}`;
}

function headersFor(options: RequestOptions): Headers {
  const headers = new Headers({ Accept: "application/json" });
  if (options.body !== undefined) headers.set("Content-Type", "application/json");
  if (options.method && options.method !== "GET") headers.set("X-CSRFToken", csrfToken);
  if (options.idempotencyKey) headers.set("Idempotency-Key", options.idempotencyKey);
  return headers;
}

/** No answer is a problem too; it has no status of its own, so it is given 0. */
const silence = (code: string, detail: string): Problem =>
  new Problem({ type: "about:blank", title: "No answer", status: 0, detail, code });

const unreachable = (): Problem =>
  silence("unreachable", "The control plane could not be reached. Jobs go on training without it.");

const tooSlow = (): Problem =>
  silence(
    TOO_SLOW,
    `The control plane has not answered within ${REQUEST_TIMEOUT_MS / 1000} s. It may be busy; jobs go on training without it.`,
  );

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as Partial<ProblemBody>;
    if (typeof body.title === "string" || typeof body.detail === "string") {
      return new Problem({
        type: "about:blank",
        title: response.statusText,
        detail: "",
        code: "error",
        ...body,
        status: response.status,
      });
    }
  } catch {
    // a proxy in between answers with a page; its words would help nobody
  }
  return new Problem({
    type: "about:blank",
    title: response.statusText || "Error",
    status: response.status,
    detail: `The control plane answered ${response.status}.`,
    code: "error",
  });
}

/**
 * Sends one request to the plane and returns its answer.
 *
 * Raises Problem: for each answer that is not a success, and with status 0 for none at all.
 */
export async function request<T>(route: Route, options: RequestOptions = {}): Promise<T> {
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const url = address(route, options.id, options.query);
  let response: Response;
  try {
    response = await fetch(new URL(url, location.origin), {
      method: options.method ?? "GET",
      headers: headersFor(options),
      credentials: "same-origin",
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw timeout.aborted ? tooSlow() : unreachable();
  }
  answeredAt = Date.now();
  if (!response.ok) throw await problemOf(response);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}
