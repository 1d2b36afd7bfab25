"""The one table of a swap's transitions.

It is rendered to the database's check constraint, to the diagram in the docs, to the front end's
table, and to the rules of the tests; each has a test that fails when it is stale.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

from apps.core import transitions
from apps.swaps.domain import limits


class State(StrEnum):
    """Where a swap stands."""

    # somebody, or the policy, wants it
    PROPOSED = "proposed"
    # target and constraints are known, the spare is reserved
    PLANNED = "planned"
    # a second person is asked
    AWAITING_APPROVAL = "awaiting_approval"
    # decided; not begun
    APPROVED = "approved"
    # the band is registered, the command is out: the target copies the state and builds the model
    PREPARING = "preparing"
    # owner and mirror compare digests
    VERIFYING = "verifying"
    # the groups of the next epoch are connected, and voted for
    CUTTING_OVER = "cutting_over"
    # the rank has changed hands; validation loss is watched
    WATCHING = "watching"
    # in force, watched, certified
    COMPLETED = "completed"
    # asked to be given up; an open vote may still put it in force
    ABORTING = "aborting"
    # given up; the job is untouched
    ABORTED = "aborted"
    # the approver said no
    REFUSED = "refused"
    # nobody decided, or nothing could begin, in time
    EXPIRED = "expired"
    # the rank did not change hands, or nobody can prove that it did
    FAILED = "failed"
    # validation loss left its band while it was watched
    DEVIATED = "deviated"
    # an owner was lost, and a mirror takes over by the pre-authorised policy
    TAKING_OVER = "taking_over"


class Action(StrEnum):
    """What moves a swap."""

    PLAN = "plan"
    REVISE = "revise"
    REQUEST_APPROVAL = "request_approval"
    APPROVE = "approve"
    REFUSE = "refuse"
    EXPIRE = "expire"
    WITHDRAW = "withdraw"
    PREPARE = "prepare"
    VERIFY = "verify"
    CUT_OVER = "cut_over"
    TAKE_FORCE = "take_force"
    ABORT = "abort"
    UNDO = "undo"
    COMPLETE = "complete"
    DEVIATE = "deviate"
    FAIL = "fail"


class Who(StrEnum):
    """Whose doing a transition is."""

    # a person or program with the role of this name
    OPERATOR = "operator"
    APPROVER = "approver"
    # the control plane itself
    SYSTEM = "system"
    # the job's coordinator, as its agent reports
    AGENT = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition(transitions.Transition):
    """One line of the table."""

    # who can do it
    who: tuple[Who, ...]
    # what it does, for the diagram and the buttons
    effect: str


_UNSENT: Final = (State.PROPOSED, State.PLANNED, State.AWAITING_APPROVAL, State.APPROVED)
_SENT: Final = (State.PREPARING, State.VERIFYING, State.CUTTING_OVER)

_TRANSITIONS: Final = (
    Transition(
        action=Action.PLAN,
        sources=(State.PROPOSED,),
        target=State.PLANNED,
        who=(Who.SYSTEM,),
        effect="reserve a spare, check the constraints, lay the band",
    ),
    Transition(
        action=Action.REVISE,
        sources=(State.PLANNED, State.AWAITING_APPROVAL, State.APPROVED),
        target=State.PROPOSED,
        who=(Who.SYSTEM,),
        effect="the plan no longer holds: its approval is void, its spare goes back",
    ),
    Transition(
        action=Action.REQUEST_APPROVAL,
        sources=(State.PLANNED,),
        target=State.AWAITING_APPROVAL,
        who=(Who.SYSTEM, Who.OPERATOR),
        effect="ask a second person",
    ),
    Transition(
        action=Action.APPROVE,
        sources=(State.AWAITING_APPROVAL,),
        target=State.APPROVED,
        who=(Who.APPROVER,),
        effect="this very plan may be carried out",
    ),
    Transition(
        action=Action.REFUSE,
        sources=(State.AWAITING_APPROVAL,),
        target=State.REFUSED,
        who=(Who.APPROVER,),
        effect="the plan is not carried out",
    ),
    Transition(
        action=Action.EXPIRE,
        sources=_UNSENT,
        target=State.EXPIRED,
        who=(Who.SYSTEM,),
        effect="nothing was begun in time",
    ),
    Transition(
        action=Action.WITHDRAW,
        sources=_UNSENT,
        target=State.ABORTED,
        who=(Who.OPERATOR, Who.SYSTEM),
        effect="nothing was begun, nothing changes",
    ),
    Transition(
        action=Action.PREPARE,
        sources=(State.APPROVED,),
        target=State.PREPARING,
        who=(Who.SYSTEM,),
        effect="register the band, command the job's coordinator",
    ),
    Transition(
        action=Action.VERIFY,
        sources=(State.PREPARING,),
        target=State.VERIFYING,
        who=(Who.AGENT,),
        effect="owner and mirror compare digests",
    ),
    Transition(
        action=Action.CUT_OVER,
        sources=(State.PREPARING, State.VERIFYING),
        target=State.CUTTING_OVER,
        who=(Who.AGENT,),
        effect="the next epoch is connected and voted for",
    ),
    Transition(
        action=Action.TAKE_FORCE,
        sources=(*_SENT, State.ABORTING, State.TAKING_OVER),
        target=State.WATCHING,
        who=(Who.AGENT,),
        effect="the target owns the rank",
    ),
    Transition(
        action=Action.ABORT,
        sources=_SENT,
        target=State.ABORTING,
        who=(Who.OPERATOR, Who.SYSTEM),
        effect="ask the coordinator to give it up; the job stays with its source",
    ),
    Transition(
        action=Action.UNDO,
        sources=(State.ABORTING,),
        target=State.ABORTED,
        who=(Who.AGENT, Who.SYSTEM),
        effect="given up; the job is untouched",
    ),
    Transition(
        action=Action.COMPLETE,
        sources=(State.WATCHING,),
        target=State.COMPLETED,
        who=(Who.SYSTEM,),
        effect="watched to the end, certified",
    ),
    Transition(
        action=Action.DEVIATE,
        sources=(State.WATCHING,),
        target=State.DEVIATED,
        who=(Who.SYSTEM,),
        effect="validation loss left its band: a person looks",
    ),
    Transition(
        action=Action.FAIL,
        sources=(*_SENT, State.ABORTING, State.WATCHING, State.TAKING_OVER),
        target=State.FAILED,
        who=(Who.AGENT, Who.SYSTEM),
        effect="the rank did not change hands, or nobody can prove that it did",
    ),
)

TABLE: Final = transitions.Table(
    states=tuple(State),
    transitions=_TRANSITIONS,
    # wanted by somebody, or by the loss of an owner
    initial=(State.PROPOSED, State.TAKING_OVER),
    terminal=frozenset(
        {
            State.COMPLETED,
            State.ABORTED,
            State.REFUSED,
            State.EXPIRED,
            State.FAILED,
            State.DEVIATED,
        }
    ),
)

#: States in which nothing was commanded yet: giving up needs nobody's answer.
UNSENT: Final = frozenset(_UNSENT)

#: States in which giving up has to be asked of the job's coordinator.
SENT: Final = frozenset(_SENT)

#: States in which a swap keeps its rank from being swapped by another one.
OPEN: Final = tuple(State(state) for state in TABLE.open_states)

#: States in which a planned swap counts against the blast radius: it acts on the job.
ACTING: Final = frozenset({*_SENT, State.ABORTING, State.WATCHING})

#: How long each state may last. Watching has a time of its own, by the length of its steps.
WAITS: Final[dict[State, timedelta]] = {
    State.PROPOSED: limits.PLAN_WAIT,
    State.PLANNED: limits.REQUEST_WAIT,
    State.AWAITING_APPROVAL: limits.APPROVAL_WAIT,
    State.APPROVED: limits.START_WAIT,
    State.PREPARING: limits.PREPARE_WAIT,
    State.VERIFYING: limits.VERIFY_WAIT,
    State.CUTTING_OVER: limits.CUT_OVER_WAIT,
    State.WATCHING: limits.WATCH_WAIT,
    State.ABORTING: limits.ABORT_WAIT,
    State.TAKING_OVER: limits.TAKE_OVER_WAIT,
}
