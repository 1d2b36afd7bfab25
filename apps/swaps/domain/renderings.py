"""The table of a swap's transitions as a diagram, as a table, and for the front end.

``python -m dev.swap_states`` writes them; tests fail when what was written is stale.
"""

from collections.abc import Iterator
from datetime import timedelta

from apps.swaps.domain.states import SENT, TABLE, UNSENT, WAITS, State

_MINUTE_S = 60
_HOUR_S = 3600


def mermaid() -> str:
    """Return the table as a state diagram."""
    return "\n".join(_mermaid())


def _mermaid() -> Iterator[str]:
    yield "stateDiagram-v2"
    for state in TABLE.initial:
        yield f"    [*] --> {State(state).value}"
    for line in TABLE.transitions:
        for source in line.sources:
            yield f"    {State(source).value} --> {State(line.target).value}: {line.action}"
    for state in TABLE.states:
        if state in TABLE.terminal:
            yield f"    {State(state).value} --> [*]"


def markdown_states() -> str:
    """Return each state with how long it may last, and how it can be given up."""
    rows = ["| state | lasts at most | giving it up |", "| --- | --- | --- |"]
    for name in TABLE.states:
        state = State(name)
        if name in TABLE.terminal:
            rows.append(f"| `{state.value}` | for ever | |")
        else:
            rows.append(f"| `{state.value}` | {_length(WAITS[state])} | {_way_out(state)} |")
    return "\n".join(rows)


def _way_out(state: State) -> str:
    if state in UNSENT:
        return "at once: nothing was begun"
    if state in SENT:
        return "asks the coordinator; the job stays with its source"
    return "no"


def _length(wait: timedelta) -> str:
    seconds = int(wait.total_seconds())
    if seconds % _HOUR_S == 0:
        return f"{seconds // _HOUR_S} h"
    if seconds % _MINUTE_S == 0:
        return f"{seconds // _MINUTE_S} min"
    return f"{seconds} s"


def markdown_transitions() -> str:
    """Return each transition with who makes it, and what it does."""
    rows = ["| action | from | to | who | what it does |", "| --- | --- | --- | --- | --- |"]
    for line in TABLE.transitions:
        sources = ", ".join(f"`{State(source).value}`" for source in line.sources)
        who = ", ".join(who.value for who in line.who)
        target = State(line.target).value
        rows.append(f"| `{line.action}` | {sources} | `{target}` | {who} | {line.effect} |")
    return "\n".join(rows)


def typescript() -> str:
    """Return the table for the front end."""
    return "\n".join(_typescript()) + "\n"


def _typescript() -> Iterator[str]:
    yield "// Made from apps/swaps/domain/states.py by `python -m dev.swap_states`: edit that."
    yield ""
    yield "export const swapStates = ["
    yield from (f'  "{State(state).value}",' for state in TABLE.states)
    yield "] as const;"
    yield ""
    yield "export type SwapState = (typeof swapStates)[number];"
    yield ""
    yield "export const swapStatesTerminal: ReadonlySet<SwapState> = new Set(["
    yield from (f'  "{State(state).value}",' for state in TABLE.states if state in TABLE.terminal)
    yield "]);"
    yield ""
    yield "export interface SwapTransition {"
    yield "  action: string;"
    yield "  sources: readonly SwapState[];"
    yield "  target: SwapState;"
    yield "  who: readonly string[];"
    yield "  effect: string;"
    yield "}"
    yield ""
    yield "export const swapTransitions: readonly SwapTransition[] = ["
    for line in TABLE.transitions:
        sources = ", ".join(f'"{State(source).value}"' for source in line.sources)
        who = ", ".join(f'"{who.value}"' for who in line.who)
        yield "  {"
        yield f'    action: "{line.action}",'
        yield f"    sources: [{sources}],"
        yield f'    target: "{State(line.target).value}",'
        yield f"    who: [{who}],"
        yield f'    effect: "{line.effect}",'
        yield "  },"
    yield "];"
    yield ""
    yield "export const swapCan = (action: string, state: SwapState): boolean =>"
    yield (
        "  swapTransitions.some((line) => line.action === action && line.sources.includes(state));"
    )
