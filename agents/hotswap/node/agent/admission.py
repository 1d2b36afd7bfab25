"""Whether a command is to be carried out. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import msgspec

from hotswap.errors import CommandRefused, PlaneMessageMalformed
from hotswap.node.agent.records import is_key
from hotswap.wire.plane import Command, CommandResult, Payload, payload_of


class CommandRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A command, and what has become of it so far."""

    command: Command
    result: CommandResult
    # order of arrival, over all commands of this agent
    number: int
    # the plane has taken the result in
    told: bool = False

    @property
    def final(self) -> bool:
        """Whether nothing more will become of it."""
        return self.result.state != "accepted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """Carry it out."""

    payload: Payload


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined:
    """Answer at once."""

    result: CommandResult


def admit(command: Command, *, highest_fence: int, now: datetime) -> Admitted | Declined:
    """Decide about a command that has not been seen before.

    Args:
        command: what the plane wants.
        highest_fence: highest fence seen in a command about the job; 0: none.
        now: wall clock, with offset.

    """
    try:
        payload = _checked(command, highest_fence)
        if _is_late(command.deadline, now):
            return Declined(result=result_of(command, "expired", "its deadline has passed"))
    except CommandRefused as error:
        return Declined(result=refused(command, error.refusal, str(error)))
    except PlaneMessageMalformed as error:
        return Declined(result=refused(command, error.code, str(error)))
    return Admitted(payload=payload)


def _checked(command: Command, highest_fence: int) -> Payload:
    """Return the payload of a command that makes sense.

    Raises:
        CommandRefused: it makes none, or it was decided without knowing of a later decision.
        PlaneMessageMalformed: its payload is not what its kind has.

    """
    if command.job is not None and not is_key(command.job):
        raise CommandRefused(f"{command.job!r} can't be a job's id", refusal="malformed")
    if command.job is not None and command.fence < highest_fence:
        raise CommandRefused(
            f"fence {command.fence} is older than {highest_fence}, which was seen for this job: "
            "decide anew",
            refusal="fenced",
        )
    payload = payload_of(command)
    if command.job is None and command.kind != "quarantine":
        raise CommandRefused(f"{command.kind} needs a job", refusal="malformed")
    return payload


def refused(command: Command, code: str, detail: str) -> CommandResult:
    """Return the result of a command that is not carried out."""
    return result_of(command, "refused", detail, {"code": code})


def result_of(
    command: Command,
    state: Literal["accepted", "done", "failed", "refused", "expired"],
    detail: str = "",
    values: dict[str, str | int | float | None] | None = None,
) -> CommandResult:
    """Return a result of ``command``."""
    return CommandResult(command=command.id, state=state, detail=detail, values=values or {})


def _is_late(deadline: str | None, now: datetime) -> bool:
    """Whether an ISO 8601 deadline has passed.

    Raises:
        CommandRefused: it is none, or it has no offset.

    """
    if deadline is None:
        return False
    try:
        at = datetime.fromisoformat(deadline)
    except ValueError as error:
        raise CommandRefused(
            f"deadline {deadline!r} is not ISO 8601", refusal="malformed"
        ) from error
    if at.tzinfo is None:
        raise CommandRefused(f"deadline {deadline!r} has no offset", refusal="malformed")
    return now >= at
