"""A plane with people and a job to try things out on, and what its database says of them."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import httpx
from django.db import DatabaseError, connection

from apps.approvals.models import Request
from apps.core.access import SYSTEM
from apps.core.clock import now
from apps.fleet.models import Node
from apps.fleet.services.spares import node_spare_set
from apps.jobs.models import Job, Member, RankOwner
from apps.swaps.models import Hold, Swap
from apps.swaps.models.swaps import OPEN_STATES
from benchmarks.plane_rows.kills import NODES
from benchmarks.plane_rows.paced_job import RANKS
from benchmarks.plane_rows.processes import pid_of_member
from dev.stack.waiting import wait_until
from hotswap.channel.addresses import address_of, latest_leader

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from benchmarks.plane_rows.paced_job import PacedJob
    from benchmarks.plane_rows.stack import Stack
    from dev.demo.client import Person

#: From the loss of a member, or the start of a job, until everything is as it should be, s.
CALM_S: Final = 240.0
#: Between two looks at the database, s.
LOOK_EVERY_S: Final = 0.05

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Where something is tried out."""

    stack: Stack
    job: PacedJob
    # proposes
    otto: Person
    # approves
    ada: Person

    def see(self, find: Callable[[], Found | None], what: str, *, wait_s: float) -> Found:
        """Wait for something in the database, which may be away meanwhile."""
        return wait_until(partial(looked, find), what, wait_s=wait_s, every_s=LOOK_EVERY_S)

    def propose(self, rank: int) -> None:
        """Ask for a swap, in a thread of its own: the web process may not live to answer."""
        ask = partial(self.otto.post, "swaps", job=self.job.id, rank=rank, reason="To be tried.")
        _begin(ask)

    def abort(self, swap: UUID) -> None:
        """Ask for a swap to be given up, likewise."""
        _begin(partial(self.otto.post, f"swaps/{swap}/abort", reason="It was tried."))

    def approve_all(self) -> None:
        """Approve whatever waits for it, unless the web process is away."""
        for request in Request.objects.filter(state="pending"):
            with suppress(httpx.HTTPError):
                path = f"approvals/{request.id}/approve"
                self.ada.post(path, plan_digest=request.plan_digest)

    def open_swaps(self) -> list[Swap]:
        """Return the swaps of the job that have not ended."""
        return list(Swap.objects.filter(job_id=self.job.id, state__in=OPEN_STATES))

    def leader(self) -> str | None:
        """Return the coordinator that leads the job, by its own announcement."""
        leader = latest_leader(self.job.directory)
        names = (f"coordinator-{number}" for number in range(100))
        return next(
            (
                name
                for name in names
                if leader is not None
                and address_of(self.job.directory, name=name) == leader.address
            ),
            None,
        )

    def node_of(self, member: str) -> str:
        """Return the node of a member."""
        return str(Member.objects.get(job_id=self.job.id, name=member).node.name)

    def owner(self, rank: int) -> str | None:
        """Return the owner of a rank as the plane has it."""
        rows = RankOwner.objects.filter(job_id=self.job.id, rank=rank, epoch_to=None)
        return rows.values_list("member", flat=True).first()

    def standby(self) -> str:
        """Return the one member that owns no rank."""
        return str(Job.objects.get(id=self.job.id).standbys[0])

    def pid(self, member: str) -> int:
        """Return the process of a member."""
        return pid_of_member(self.job.directory, member)

    def calm_down(self) -> None:
        """Let the job walk until a standby on a spare protects every rank."""
        self.job.walk()
        # what fails here fails on purpose, again and again
        Hold.objects.filter(released_at=None).update(released_at=now())
        self.see(self._is_calm, "a job that is protected", wait_s=CALM_S)

    def stop_job(self) -> None:
        """End the job; the next one needs its nodes."""
        self.otto.post(f"jobs/{self.job.id}/stop", reason="It was tried.")
        ended = Job.objects.filter(id=self.job.id, ended_at__isnull=False)
        self.see(ended.first, "the end of the job", wait_s=CALM_S)

    def _is_calm(self) -> bool:
        if self.open_swaps():
            return False
        self._keep_spares()
        job = Job.objects.get(id=self.job.id)
        owners = RankOwner.objects.filter(job=job, epoch_to=None, node__isnull=False)
        coordinators = Member.objects.filter(
            job=job, role="coordinator", state="running", lost_at=None
        )
        standbys = Member.objects.filter(job=job, name__in=job.standbys, state="running")
        return (
            job.state == "running"
            and job.protection == "protected"
            and owners.count() == RANKS
            and standbys.filter(lost_at=None, node__is_spare=True).count() == 1
            and coordinators.count() == 2  # noqa: PLR2004 - as was submitted
            and self.leader() == job.leader
            and self._web_answers()
        )

    def _web_answers(self) -> bool:
        """Whether the web process that was killed has been followed by one that is ready."""
        try:
            self.otto.get("session")
        except httpx.HTTPError:
            return False
        return True

    def _keep_spares(self) -> None:
        """Make every node a spare that owns no rank; one, while the job has no owners yet."""
        owners = RankOwner.objects.filter(job_id=self.job.id, epoch_to=None)
        taken = set(owners.values_list("node__name", flat=True)) or set(NODES[:-1])
        for node in Node.objects.filter(name__in=NODES):
            spare = node.name not in taken
            if node.is_spare != spare:
                node_spare_set(node_id=node.id, is_spare=spare, actor=SYSTEM, at=now())


def looked(find: Callable[[], Found | None]) -> Found | None:
    """Return what is found; None while the database is away."""
    try:
        return find()
    except DatabaseError:
        connection.close()
        return None


def _begin(ask: Callable[[], Any]) -> None:
    """Ask without waiting for the answer; what is refused is said, as nobody else would."""

    def run() -> None:
        try:
            ask()
        except httpx.HTTPError as error:
            print(f"  not done: {type(error).__name__}: {error}", file=sys.stderr, flush=True)

    threading.Thread(target=run, daemon=True).start()
