/** How a swap's state is called, where it stands on the way, and how it looks. */
import type { SwapState } from "@/api/swapStates";
import { swapStatesTerminal, swapTransitions } from "@/api/swapStates";
import type { SwapSummary } from "@/api/types";
import { words } from "@/format/numbers";
import { MiniRail } from "@/ui/PhaseRail";
import type { TagTone } from "@/ui/Tag";
import { Tag } from "@/ui/Tag";

/** The way of a swap that goes well, in order. */
export const PLANNED_WAY = [
  "proposed",
  "planned",
  "awaiting_approval",
  "approved",
  "preparing",
  "verifying",
  "cutting_over",
  "watching",
  "completed",
] as const satisfies readonly SwapState[];

export const UNPLANNED_WAY = ["taking_over", "watching", "completed"] as const satisfies readonly SwapState[];

const ENDED: ReadonlySet<string> = swapStatesTerminal;

const LOUD: ReadonlySet<string> = new Set(["failed", "deviated"]);

const WAITING: ReadonlySet<string> = new Set(["proposed", "planned", "awaiting_approval"]);

export const isOpen = (state: string): boolean => !ENDED.has(state);

/** What an action does from a state, in the words of the table; empty for one that it has not. */
export const effectOf = (action: string, state: string): string =>
  swapTransitions.find((line) => line.action === action && line.sources.some((source) => source === state))?.effect ?? "";

export const wayOf = (swap: SwapSummary): readonly string[] =>
  swap.kind === "unplanned" ? UNPLANNED_WAY : PLANNED_WAY;

function toneOf(state: string): TagTone {
  if (LOUD.has(state)) return "loud";
  if (ENDED.has(state) && state !== "completed") return "plain";
  if (WAITING.has(state)) return "plain";
  return state === "completed" ? "quiet" : "active";
}

export function SwapStateTag({ state }: { state: string }) {
  const tone = toneOf(state);
  return (
    <Tag tone={tone} moving={tone === "active"} {...(LOUD.has(state) ? { icon: "warn" as const } : {})}>
      {words(state)}
    </Tag>
  );
}

/** Progress in a row; a swap that stopped only says how. */
export function SwapProgress({ swap }: { swap: SwapSummary }) {
  const way = wayOf(swap);
  const at = way.indexOf(swap.state);
  if (at < 0 || !isOpen(swap.state)) return <SwapStateTag state={swap.state} />;
  return <MiniRail done={at} of={way.length - 1} label={words(swap.state)} />;
}
