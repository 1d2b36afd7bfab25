"""Which processes of a job are ended without anybody's command. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hotswap.limits import Limits
from hotswap.node.agent.member_record import MemberRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Winding:
    """What to end now."""

    # asked to end, and killed when they don't
    stop: tuple[str, ...] = ()
    # declared lost and still running: they hold memory and devices
    kill: tuple[str, ...] = ()


def due(
    members: Iterable[MemberRecord],
    *,
    concluded_s: float | None,
    unnamed_since_s: Mapping[str, float],
    now: float,
    limits: Limits,
) -> Winding:
    """Say which processes of one job have had the time to end by themselves.

    Args:
        members: processes of the job on this node.
        concluded_s: when the leader said that the job is over; None: it is not.
        unnamed_since_s: trainers that the leader has named as owner or standby once, and since when
            it does not any more.
        now: on the same clock.
        limits: see `Limits`.

    """
    living = [member for member in members if member.lives]
    trainers = [member for member in living if member.role != "coordinator"]
    if concluded_s is not None:
        waited_s = now - concluded_s
        if waited_s >= limits.finish_grace_s:
            return Winding(stop=_names(trainers or living))
        return Winding()
    lingering_s = limits.fenced_exit_s + limits.drain_s
    return Winding(
        kill=tuple(
            member.member
            for member in trainers
            if now - unnamed_since_s.get(member.member, now) >= lingering_s
        )
    )


def unnamed(
    before: Mapping[str, float], *, named_before: frozenset[str], named: frozenset[str], now: float
) -> dict[str, float]:
    """Return since when each trainer is named no more, after another word of the leader."""
    missing = (named_before | before.keys()) - named
    return {name: before.get(name, now) for name in missing}


def _names(members: Iterable[MemberRecord]) -> tuple[str, ...]:
    return tuple(member.member for member in members)
