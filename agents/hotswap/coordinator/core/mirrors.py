"""Keeping every rank mirrored: who mirrors what, and what is known of each mirror."""

from collections.abc import Iterable, Mapping

import msgspec

from hotswap.coordinator.core.assignment import assign_mirrors
from hotswap.coordinator.core.job import LIVING, Job, MirrorView
from hotswap.coordinator.core.turn import Turn
from hotswap.wire.messages import (
    AssignMirrors,
    CorruptionFound,
    Endpoint,
    Holding,
    Mirroring,
    MirrorReport,
    ProtectionLost,
)


def assign(turn: Turn) -> None:
    """Adapt the assignment to who is there; tell those whom a change concerns, or who came back.

    Between two epochs nobody is told: a copy that is not wanted any more could still be needed.
    """
    job = turn.job
    if job.phase not in LIVING:
        return
    before = job.mirrors
    changes = assign_mirrors(
        owners=[seat.member for seat in job.seats],
        standbys=[member.name for member in job.standbys()],
        living=job.members.keys(),
        current=before,
        complete=_relieving(job),
        wanted=_wanted(job),
    )
    told = set(job.untold)
    job.untold.clear()
    if changes:
        kept = {rank: names for rank, names in before.items() if rank not in changes}
        job.mirrors = kept | {rank: names for rank, names in changes.items() if names}
        job.mirror_endpoints = job.mirror_endpoints | _endpoints(job, changes)
        job.revision += 1
        _forget_views(job, changes)
        turn.persist()
        told.update(job.seats[rank].member for rank in changes)
        for rank, names in changes.items():
            told.update(before.get(rank, ()), names)
    _tell(turn, sorted(told & job.members.keys()))


def _relieving(job: Job) -> set[tuple[int, str]]:
    """Name the mirrors that may relieve others of the same rank: the owner waits for them.

    That a mirror says that it is complete is not enough: the step under way may have been
    acknowledged by the former one alone.
    """
    return {
        (rank, name)
        for rank, names in job.mirrors.items()
        if len(names) > 1
        for name in names
        if (view := job.mirror_view(rank, name)) is not None and view.usable and view.protecting
    }


def _endpoints(job: Job, changes: Mapping[int, tuple[str, ...]]) -> dict[str, Endpoint]:
    """Return where new mirrors listen: a new leader has not heard from them yet."""
    names = sorted({name for line in changes.values() for name in line})
    endpoints = ((name, job.members[name].endpoint) for name in names)
    return {name: endpoint for name, endpoint in endpoints if endpoint is not None}


def _wanted(job: Job) -> tuple[int, str] | None:
    swap = job.swap
    return None if swap is None or swap.abort_reason else (swap.rank, swap.target)


def _forget_views(job: Job, ranks: Iterable[int]) -> None:
    for rank in ranks:
        views = job.mirror_views.get(rank, {})
        job.mirror_views[rank] = {
            name: view for name, view in views.items() if name in job.mirrors.get(rank, ())
        }


def _tell(turn: Turn, names: Iterable[str]) -> None:
    """Send each member the lines that concern it: its own mirrors, and what it mirrors.

    Behind the Start that makes it an owner: it would drop the copy that it is to start from.
    """
    job = turn.job
    lines: dict[str, list[Mirroring]] = {name: [] for name in names}
    if not lines:
        return
    for rank, members in job.mirrors.items():
        owner = job.seats[rank].member
        for name in members:
            if name not in lines and owner not in lines:
                continue
            mirror = job.members.get(name)
            if mirror is None or mirror.endpoint is None:
                continue
            line = Mirroring(rank=rank, member=name, endpoint=mirror.endpoint)
            for concerned in (owner, name):
                if concerned in lines:
                    lines[concerned].append(line)
    for name, assignments in lines.items():
        if job.members[name].connected:
            message = AssignMirrors(
                token=job.token, revision=job.revision, assignments=tuple(assignments)
            )
            turn.send(name, message)


# -------------------------------------------------------------------------- what is reported


def learn(turn: Turn, member: str, holdings: Iterable[Holding]) -> None:
    """Note how far the mirrors on ``member`` are."""
    for holding in holdings:
        if holding.kind == "mirror":
            _learn(turn, member, holding)


def report(turn: Turn, member: str, message: MirrorReport) -> None:
    """Note how far a mirror is."""
    _learn(turn, member, message.holding, lag_steps=message.lag_steps)


def _learn(turn: Turn, member: str, holding: Holding, lag_steps: int | None = None) -> None:
    job = turn.job
    assigned = job.mirrors.get(holding.rank, ())
    if member not in assigned:
        return
    view = job.mirror_views.setdefault(holding.rank, {}).setdefault(member, MirrorView())
    was_usable = view.usable
    view.version = holding.version
    view.complete = holding.complete and holding.since_epoch >= job.restored_epoch
    view.intact = holding.intact
    view.lag_steps = lag_steps
    if view.usable and not was_usable:
        turn.notify("mirror_complete", rank=holding.rank, member=member, step=holding.version)


def protected(turn: Turn, rank: int, names: Iterable[str]) -> None:
    """Note for which mirrors the owner of ``rank`` has waited; one may relieve another."""
    job = turn.job
    for name in names:
        view = job.mirror_view(rank, name)
        if view is not None and not view.protecting:
            view.protecting = True
            if len(job.mirrors.get(rank, ())) > 1:
                assign(turn)


def protection_lost(turn: Turn, sender: str, message: ProtectionLost) -> None:
    """The owner goes on without one of its mirrors, until that is complete again."""
    if turn.job.owners.get(sender) != message.rank:
        return
    view = turn.job.mirror_view(message.rank, message.mirror)
    if view is not None:
        view.complete = view.protecting = False
        view.lag_steps = None
    if message.mirror in turn.job.mirrors.get(message.rank, ()):
        turn.job.retell_s.setdefault(sender, turn.now + turn.job.limits.remirror_s)
    turn.notify("protection_lost", rank=message.rank, member=message.mirror, text=message.reason)


def retell(turn: Turn) -> None:
    """Tell owners that have dropped a mirror for a while who mirrors them: they try it again."""
    job = turn.job
    due = [name for name, due_s in job.retell_s.items() if due_s <= turn.now]
    for name in due:
        del job.retell_s[name]
        job.untold[name] = None
    if due:
        assign(turn)


def corruption(turn: Turn, sender: str, message: CorruptionFound) -> None:
    """Bytes differ: no mirror that it may concern is trusted until it was copied anew."""
    job = turn.job
    owner = message.rank in range(len(job.seats)) and job.seats[message.rank].member
    for name, view in job.mirror_views.get(message.rank, {}).items():
        if sender in (name, owner):
            view.intact = False
    member = job.members[sender]
    # It may have reported its copy as sound before it looked.
    member.holdings = tuple(
        msgspec.structs.replace(holding, intact=False)
        if holding.kind == "mirror" and holding.rank == message.rank
        else holding
        for holding in member.holdings
    )
    turn.notify(
        "corruption",
        rank=message.rank,
        step=message.step,
        member=sender,
        text=f"{message.where}: {', '.join(message.tensors) or 'tensors unknown'}",
    )
