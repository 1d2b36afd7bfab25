/** The one table of a swap's transitions, as the server's own is handed over. */
export type { SwapState } from "@/generated/swap-states";
export { swapStates, swapStatesTerminal, swapTransitions } from "@/generated/swap-states";
