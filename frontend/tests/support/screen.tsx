/** Opens a page of the dashboard on the fake backend, as one of its people. */
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { RequestHandler } from "msw";
import { setupServer } from "msw/node";
import { createMemoryRouter } from "react-router";
import { afterAll, afterEach, beforeAll } from "vitest";

import { App } from "@/app/App";
import { clientMake } from "@/app/client";
import { routes } from "@/app/routes";
import { worldMake } from "@/fake/engine";
import { handlersMake } from "@/fake/handlers";
import { liveMake } from "@/fake/live";
import type { World } from "@/fake/world";

const server = setupServer();

beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

type Person = "otto" | "ada" | "vera" | "root" | null;

interface Opened {
  world: World;
  user: ReturnType<typeof userEvent.setup>;
  container: HTMLElement;
  path: () => string;
}

interface OpenOptions {
  as?: Person;
  /** Answers that come before those of the fake. */
  before?: RequestHandler[];
  prepare?: (world: World) => void;
  /** With the cluster of ten thousand nodes. */
  large?: boolean;
}

export function open(path: string, { as = "otto", before = [], prepare, large = false }: OpenOptions = {}): Opened {
  const world = worldMake(Date.now(), large);
  world.me = world.people.find(({ username }) => username === as) ?? null;
  prepare?.(world);
  const { handler } = liveMake(world, "ws://localhost:3000");
  server.use(...before, handler, ...handlersMake(world));
  const client = clientMake();
  client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, retry: false } });
  const router = createMemoryRouter(routes, { initialEntries: [path] });
  const { container } = render(<App client={client} router={router} />);
  return { world, user: userEvent.setup({ delay: null }), container, path: () => router.state.location.pathname };
}

/** Waits for the page's heading: then the page and its first data are there. */
export const heading = (name: string | RegExp) => screen.findByRole("heading", { level: 1, name });
