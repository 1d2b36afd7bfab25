// Made from apps/swaps/domain/states.py by `python -m dev.swap_states`: edit that.

export const swapStates = [
  "proposed",
  "planned",
  "awaiting_approval",
  "approved",
  "preparing",
  "verifying",
  "cutting_over",
  "watching",
  "completed",
  "aborting",
  "aborted",
  "refused",
  "expired",
  "failed",
  "deviated",
  "taking_over",
] as const;

export type SwapState = (typeof swapStates)[number];

export const swapStatesTerminal: ReadonlySet<SwapState> = new Set([
  "completed",
  "aborted",
  "refused",
  "expired",
  "failed",
  "deviated",
]);

export interface SwapTransition {
  action: string;
  sources: readonly SwapState[];
  target: SwapState;
  who: readonly string[];
  effect: string;
}

export const swapTransitions: readonly SwapTransition[] = [
  {
    action: "plan",
    sources: ["proposed"],
    target: "planned",
    who: ["system"],
    effect: "reserve a spare, check the constraints, lay the band",
  },
  {
    action: "revise",
    sources: ["planned", "awaiting_approval", "approved"],
    target: "proposed",
    who: ["system"],
    effect: "the plan no longer holds: its approval is void, its spare goes back",
  },
  {
    action: "request_approval",
    sources: ["planned"],
    target: "awaiting_approval",
    who: ["system", "operator"],
    effect: "ask a second person",
  },
  {
    action: "approve",
    sources: ["awaiting_approval"],
    target: "approved",
    who: ["approver"],
    effect: "this very plan may be carried out",
  },
  {
    action: "refuse",
    sources: ["awaiting_approval"],
    target: "refused",
    who: ["approver"],
    effect: "the plan is not carried out",
  },
  {
    action: "expire",
    sources: ["proposed", "planned", "awaiting_approval", "approved"],
    target: "expired",
    who: ["system"],
    effect: "nothing was begun in time",
  },
  {
    action: "withdraw",
    sources: ["proposed", "planned", "awaiting_approval", "approved"],
    target: "aborted",
    who: ["operator", "system"],
    effect: "nothing was begun, nothing changes",
  },
  {
    action: "prepare",
    sources: ["approved"],
    target: "preparing",
    who: ["system"],
    effect: "register the band, command the job's coordinator",
  },
  {
    action: "verify",
    sources: ["preparing"],
    target: "verifying",
    who: ["agent"],
    effect: "owner and mirror compare digests",
  },
  {
    action: "cut_over",
    sources: ["preparing", "verifying"],
    target: "cutting_over",
    who: ["agent"],
    effect: "the next epoch is connected and voted for",
  },
  {
    action: "take_force",
    sources: ["preparing", "verifying", "cutting_over", "aborting", "taking_over"],
    target: "watching",
    who: ["agent"],
    effect: "the target owns the rank",
  },
  {
    action: "abort",
    sources: ["preparing", "verifying", "cutting_over"],
    target: "aborting",
    who: ["operator", "system"],
    effect: "ask the coordinator to give it up; the job stays with its source",
  },
  {
    action: "undo",
    sources: ["aborting"],
    target: "aborted",
    who: ["agent", "system"],
    effect: "given up; the job is untouched",
  },
  {
    action: "complete",
    sources: ["watching"],
    target: "completed",
    who: ["system"],
    effect: "watched to the end, certified",
  },
  {
    action: "deviate",
    sources: ["watching"],
    target: "deviated",
    who: ["system"],
    effect: "validation loss left its band: a person looks",
  },
  {
    action: "fail",
    sources: ["preparing", "verifying", "cutting_over", "aborting", "watching", "taking_over"],
    target: "failed",
    who: ["agent", "system"],
    effect: "the rank did not change hands, or nobody can prove that it did",
  },
];

export const swapCan = (action: string, state: SwapState): boolean =>
  swapTransitions.some((line) => line.action === action && line.sources.includes(state));
