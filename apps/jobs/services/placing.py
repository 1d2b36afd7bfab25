"""Members get their nodes, and the agents there the commands to start them."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

from apps.fleet.models import Node
from apps.jobs.domain.placement import Placement, Role, Seat, Shortage, placement_plan
from apps.jobs.errors import NoPlaceForJob
from apps.jobs.models import Job, Member
from apps.jobs.selectors.places import candidates_for
from apps.jobs.services.commands import Order, commands_queue
from hotswap.wire.plane import JobPlace, StartCoordinator, StartMember

#: Characters of a job's name and of its id in the name of its directory.
_NAME_LENGTH: Final = 55
_ID_LENGTH: Final = 8


def job_place(*, job: Job, now: datetime) -> Placement:
    """Choose a node for every member of a job; nothing is written.

    Raises:
        NoPlaceForJob: nodes are missing; the text names those that are barred, and why.
    """
    found = placement_plan(
        ranks=job.world_size,
        standbys=job.standbys_wanted,
        coordinators=job.coordinators_wanted,
        candidates=candidates_for(job=job, now=now),
    )
    if isinstance(found, Shortage):
        raise NoPlaceForJob(str(found))
    return found


def members_start(
    *, job: Job, seats: Sequence[Seat], taken: Sequence[Seat] = (), at: datetime
) -> list[Member]:
    """Write members down and queue the commands that start them, as one decision.

    Args:
        job: locked by the caller's transaction.
        seats: who goes where.
        taken: members that the job has already; they hold slots on their nodes.
        at: now.
    """
    addresses = dict(
        Node.objects.filter(id__in={seat.node for seat in seats}).values_list("id", "address")
    )
    # a coordinator is there before those who look for it
    ordered = sorted(seats, key=lambda seat: seat.role is not Role.COORDINATOR)
    slots = _slots(ordered, taken)
    orders = [
        Order(
            node_id=seat.node,
            kind="start_coordinator" if seat.role is Role.COORDINATOR else "start_member",
            payload=_payload(job, seat, host=addresses[seat.node], slot=slots[seat.member]),
            key=f"start:{job.id}:{seat.member}",
        )
        for seat in ordered
    ]
    commands = commands_queue(tenant_id=job.tenant_id, job_id=job.id, orders=orders, at=at)
    return Member.objects.bulk_create(
        Member(
            job=job,
            name=seat.member,
            node_id=seat.node,
            role=seat.role.value,
            rank=seat.rank,
            since=at,
            command=command,
            created_at=at,
        )
        for seat, command in zip(ordered, commands, strict=True)
    )


def job_location(job: Job) -> JobPlace:
    """Return where a job lives on its nodes; a name that is used again is another directory."""
    if job.attached:
        return JobPlace(name=job.name, directory=job.directory)
    name = f"{job.name[:_NAME_LENGTH]}-{job.id.hex[-_ID_LENGTH:]}"
    directory = str(PurePosixPath(job.directory) / name) if job.directory else None
    return JobPlace(name=name, directory=directory)


def _slots(seats: Sequence[Seat], taken: Sequence[Seat]) -> dict[str, int]:
    """Give each trainer a place among the job's processes on its node."""
    used = Counter(seat.node for seat in taken if seat.role is not Role.COORDINATOR)
    slots = {}
    for seat in seats:
        slots[seat.member] = used[seat.node]
        used[seat.node] += seat.role is not Role.COORDINATOR
    return slots


def _payload(job: Job, seat: Seat, *, host: str, slot: int) -> StartCoordinator | StartMember:
    host = host or "127.0.0.1"
    if seat.role is Role.COORDINATOR:
        return StartCoordinator(
            place=job_location(job),
            member=seat.member,
            world_size=job.world_size,
            host=host,
            environment=job.environment,
        )
    return StartMember(
        place=job_location(job),
        member=seat.member,
        rank=seat.rank,
        world_size=job.world_size,
        script=job.script,
        arguments=tuple(job.arguments),
        environment=job.environment,
        slot=slot,
        host=host,
        seed=job.seed,
        checkpoint_every_steps=job.checkpoint_every_steps,
    )
