/** Keys: `g` then a letter goes somewhere, single keys act. Never while one types. */
import { useEffect, useRef } from "react";

export interface Shortcut {
  keys: string;
  label: string;
  run: () => void;
}

/** How long the second key of a pair is waited for. */
const PAIR_WAIT_MS = 1200;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest("input, textarea, select, [role='dialog']") !== null);

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const known = useRef(shortcuts);
  useEffect(() => {
    known.current = shortcuts;
  });
  useEffect(() => {
    let first = "";
    let at = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      const pair = first && event.timeStamp - at < PAIR_WAIT_MS ? `${first} ${event.key}` : event.key;
      const found = known.current.find(({ keys }) => keys === pair);
      first = found ? "" : event.key;
      at = event.timeStamp;
      if (!found) return;
      event.preventDefault();
      found.run();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
