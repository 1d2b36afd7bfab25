"""What a person can do with a swap now, and why not."""

from dataclasses import dataclass

from apps.swaps.domain.states import SENT, UNSENT, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """One button."""

    # action of the table
    action: str
    # whether it can be pressed
    enabled: bool
    # why not; None: it can
    reason: str | None


def allowed_in(*, state: State, is_operator: bool) -> tuple[Allowed, ...]:
    """Return the actions that make sense in a state."""
    refusal = None if is_operator else "Needs the role operator."
    if state in UNSENT:
        return (Allowed(action="withdraw", enabled=is_operator, reason=refusal),)
    if state in SENT:
        return (Allowed(action="abort", enabled=is_operator, reason=refusal),)
    why = _TOO_LATE.get(state)
    return () if why is None else (Allowed(action="abort", enabled=False, reason=why),)


_TOO_LATE = {
    State.ABORTING: "It is being given up already.",
    State.WATCHING: (
        "The rank has changed hands: there is nothing left to abort. Swap it back instead."
    ),
    State.TAKING_OVER: "An owner was lost: without a takeover the job stands still.",
}
