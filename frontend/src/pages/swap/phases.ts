/** From a swap's phases, as the API tells them, to the steps of the rail. */
import type { Phase, Swap } from "@/api/types";
import { words } from "@/format/numbers";
import { isOpen, wayOf } from "@/parts/swapStates";
import type { RailStep, StepState } from "@/ui/PhaseRail";

/** The latest entry of each state: a plan that was revised goes through some of them again. */
function entriesOf(phases: readonly Phase[]): Map<string, Phase> {
  const entries = new Map<string, Phase>();
  for (const phase of phases) if (phase.entered_at) entries.set(phase.state, phase);
  return entries;
}

/** What actually happened, then what is still to come. */
function statesOf(swap: Swap, entries: Map<string, Phase>): string[] {
  const way = wayOf(swap);
  const beside = [...entries.keys()].filter((state) => !way.includes(state));
  if (isOpen(swap.state)) {
    const at = way.indexOf(swap.state);
    return at < 0 ? [...way.filter((state) => entries.has(state)), ...beside] : [...way];
  }
  const passed = way.filter((state) => entries.has(state));
  const states = [...passed, ...beside];
  return states.includes(swap.state) ? states : [...states, swap.state];
}

function stepState(swap: Swap, state: string, phase: Phase | undefined): StepState {
  if (state === swap.state) {
    if (isOpen(state)) return "current";
    return state === "completed" ? "done" : "stopped";
  }
  return phase?.entered_at ? "done" : "ahead";
}

export function railOf(swap: Swap): RailStep[] {
  const entries = entriesOf(swap.phases);
  return statesOf(swap, entries).map((state) => {
    const phase = entries.get(state);
    const step = stepState(swap, state, phase);
    return {
      key: state,
      label: words(state),
      state: step,
      enteredAt: phase?.entered_at ?? null,
      // an end is a moment, not a stay
      leftAt: phase?.left_at ?? (step === "current" ? null : (phase?.entered_at ?? null)),
      deadlineAt: phase?.deadline_at ?? (step === "current" ? swap.deadline_at : null),
      actor: phase?.actor ? `by ${phase.actor.name}` : null,
    };
  });
}
