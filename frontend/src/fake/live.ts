/** The live connection of the fake: numbered deltas to whoever listens. */
import { ws } from "msw";

import type { World } from "./world";

export function liveMake(world: World, root: string) {
  const link = ws.link(`${root}/ws/live`);
  let sequence = 0;
  world.tell = (kind, payload) => {
    sequence += 1;
    link.broadcast(JSON.stringify({ type: "delta", sequence, kind, payload }));
  };
  const handler = link.addEventListener("connection", ({ client }) => {
    client.send(JSON.stringify({ type: "hello", sequence }));
  });
  return { handler, link };
}
