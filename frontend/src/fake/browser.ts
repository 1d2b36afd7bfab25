/** Serves `npm run dev:fake`: the dashboard without a plane. `?as=ada` signs in at once. */
import { setupWorker } from "msw/browser";

import { tick, worldMake } from "./engine";
import { handlersMake } from "./handlers";
import { liveMake } from "./live";

const TICK_MS = 600;
const WHO_KEY = "hotswap.fake.as";

export async function fakeStart(): Promise<void> {
  const world = worldMake(Date.now(), true);
  const asked = new URLSearchParams(location.search).get("as") ?? sessionStorage.getItem(WHO_KEY);
  if (asked) {
    sessionStorage.setItem(WHO_KEY, asked);
    world.me = world.people.find(({ username }) => username === asked) ?? null;
  }
  const { handler } = liveMake(world, `ws://${location.host}`);
  const worker = setupWorker(handler, ...handlersMake(world));
  await worker.start({ quiet: true, onUnhandledRequest: "bypass" });
  setInterval(() => tick(world, TICK_MS), TICK_MS);
}
