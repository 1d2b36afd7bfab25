"""What the driver can be told to do."""

from dataclasses import dataclass
from datetime import datetime

from apps.swaps.domain.states import Action


@dataclass(frozen=True, slots=True, kw_only=True)
class Do:
    """Make this transition now."""

    # which
    action: Action
    # stable code of the reason; "" where the action says it all
    code: str = ""
    # the reason, for people
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Nothing to do before this, unless a fact arrives."""

    # when to look again
    until: datetime
    # what is waited for
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The deadline has passed and nothing can be concluded: begin another wait, and count it."""

    # the new deadline
    until: datetime
    # what is not known
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Ask the job's coordinator to give the swap up; begins another wait, as `Look` does."""

    # the new deadline
    until: datetime


Decision = Do | Wait | Look | Ask
