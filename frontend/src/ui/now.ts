/** One ticking clock for the whole page, so that all relative times change together. */
import { useSyncExternalStore } from "react";

const TICK_MS = 1000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let current = Date.now();

function tick(): void {
  current = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    current = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

const read = (): number => {
  // a reader that comes while nobody else ticks must not see an old time
  if (timer === undefined && Date.now() - current > TICK_MS) current = Date.now();
  return current;
};

/** The present, in milliseconds, anew each second. */
export const useNow = (): number => useSyncExternalStore(subscribe, read);
