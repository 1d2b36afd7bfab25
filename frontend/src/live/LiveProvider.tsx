/** Keeps one live connection per tenant, and says to everyone below how it stands. */
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { createContext, use, useEffect, useState } from "react";

import { lastAnswerAt } from "@/api/client";
import { useNow } from "@/ui/now";

import type { ConnectionState } from "./connection";
import { LiveConnection } from "./connection";
import { deltaApply } from "./patch";

/** Neither live nor answered by REST for so long: what is on screen is old. */
const STALE_AFTER_MS = 15_000;

/** While the connection is down, what is on screen is read anew this often. */
export const POLL_WITHOUT_LIVE_MS = 5_000;

const Context = createContext<ConnectionState>({ name: "connecting" });

function addressOf(tenant: string): string {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  return `${scheme}//${location.host}/ws/live?tenant=${encodeURIComponent(tenant)}`;
}

export function LiveProvider({ tenant, children }: { tenant: string; children: ReactNode }) {
  const client = useQueryClient();
  const [state, setState] = useState<ConnectionState>({ name: "connecting" });
  useEffect(() => {
    const connection = new LiveConnection(addressOf(tenant), {
      onDelta: (delta) => deltaApply(client, delta),
      onResync: () => void client.invalidateQueries(),
      onState: setState,
    });
    connection.open();
    return () => connection.close();
  }, [client, tenant]);
  useEffect(() => {
    if (state.name !== "reconnecting") return undefined;
    const timer = setInterval(() => void client.invalidateQueries(), POLL_WITHOUT_LIVE_MS);
    return () => clearInterval(timer);
  }, [client, state.name]);
  return <Context value={state}>{children}</Context>;
}

export type Freshness =
  | { name: "live" | "connecting" }
  | { name: "reconnecting" | "stale"; since: number };

/** How far what is on screen can be trusted to be the present. */
export function useFreshness(): Freshness {
  const state = use(Context);
  const now = useNow();
  if (state.name !== "reconnecting") return state;
  const answered = lastAnswerAt();
  const silent = now - Math.max(answered, state.since) > STALE_AFTER_MS;
  return silent ? { name: "stale", since: answered || state.since } : state;
}
