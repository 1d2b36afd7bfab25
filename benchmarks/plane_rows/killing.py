"""One kill in one state of a swap, and everything that must hold afterwards. Needs Django."""

from __future__ import annotations

import time
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Final

from apps.approvals.models import Request
from apps.audit.selectors import audit_verify_all
from apps.fleet.models import Node
from apps.jobs.domain.states import COMMAND
from apps.jobs.models import Command, Job
from apps.swaps.models import Swap
from benchmarks.plane_rows.kills import Outcome
from benchmarks.plane_rows.processes import kill_process, kill_service
from benchmarks.plane_rows.scene import Scene, looked
from benchmarks.plane_rows.states import BRING
from dev.stack.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from apps.swaps.domain.states import State

__all__ = ["Scene", "kill_in"]

#: From the end of what held a swap until it has ended, s.
ENDED_S: Final = 200.0
#: From the loss of a leader until the next one leads, s.
LED_S: Final = 60.0
#: From the end of a swap until the plane's other rows agree, s.
SETTLED_S: Final = 60.0
#: Between two looks while a swap comes to its end, s.
LOOK_EVERY_S: Final = 0.2


def kill_in(scene: Scene, state: State, process: str, *, rank: int) -> Outcome:
    """Bring a swap into a state, kill a process, let go, wait for the end, and look."""
    try:
        scene.calm_down()
        with ExitStack() as keep:
            swap = BRING[state](scene, rank, keep)
            killed_s = time.monotonic()
            _kill(scene, process)
    except TimeoutError as error:
        return Outcome(
            state=state.value,
            process=process,
            end="not tried",
            why="",
            wrong=(str(error),),
            took_s=None,
        )
    scene.job.walk()
    try:
        wait_until(partial(_is_over, scene), "the swap's end", wait_s=ENDED_S, every_s=LOOK_EVERY_S)
        took_s = time.monotonic() - killed_s
    except TimeoutError:
        took_s = None
    swap.refresh_from_db()
    return Outcome(
        state=state.value,
        process=process,
        end=_end(swap),
        why=(swap.failure or {}).get("text", ""),
        wrong=tuple(_wrong(scene, swap, ended=took_s is not None)),
        took_s=took_s,
    )


def _kill(scene: Scene, process: str) -> None:
    """Kill, and wait until somebody is in the process's place."""
    leader = scene.leader()
    assert leader is not None, "the job is calm"
    directory = scene.stack.layout.directory
    match process:
        case "coordinator":
            kill_process(scene.pid(leader))
            other = partial(_another, scene, leader)
            wait_until(other, "another leader", wait_s=LED_S)
        case "agent":
            kill_service(directory, f"agent {scene.node_of(leader)}")
        case _:
            kill_service(directory, process)


def _another(scene: Scene, leader: str) -> bool:
    return scene.leader() not in (None, leader)


def _is_over(scene: Scene) -> bool:
    """Approve what waits for it; whether nothing is open any more."""

    def over() -> bool:
        scene.approve_all()
        return not scene.open_swaps()

    return bool(looked(over))


def _end(swap: Swap) -> str:
    failure = swap.failure or {}
    return f"{swap.state} ({failure['code']})" if failure else str(swap.state)


def _wrong(scene: Scene, swap: Swap, *, ended: bool) -> list[str]:
    """Return what does not hold, in words."""
    if not ended:
        return [f"it is {swap.state} still: {swap.waiting_for}"]
    found = []
    committed = scene.job.read().committed
    checks = {**_CHECKS, "the plane knows the committed steps": _knows_step(committed)}
    for what, check in checks.items():
        try:
            wait_until(
                partial(_holds, check, scene, swap.id), what, wait_s=SETTLED_S, every_s=LOOK_EVERY_S
            )
        except TimeoutError:
            found.append(f"not so: {what}")
    return found


def _holds(check: Callable[[Scene, Swap], bool], scene: Scene, swap_id: UUID) -> bool:
    return bool(looked(lambda: check(scene, Swap.objects.get(id=swap_id))))


def _is_owned_as_it_ended(scene: Scene, swap: Swap) -> bool:
    """The member that commits the rank's steps is the one that the swap's end speaks of."""
    owner = scene.job.read().owner(swap.rank)
    if swap.state == "completed":
        return owner == (swap.target_member or scene.owner(swap.rank))
    return owner == swap.source_member or _was_followed(swap)


def _was_followed(swap: Swap) -> bool:
    """Whether another swap of the rank came after it."""
    later = Swap.objects.filter(job_id=swap.job_id, rank=swap.rank, id__gt=swap.id)
    return later.filter(state="completed").exists()


def _knows_the_owners(scene: Scene, _swap: Swap) -> bool:
    log = scene.job.read()
    return all(scene.owner(rank) == log.owner(rank) for rank in log.steps)


def _knows_step(committed: int) -> Callable[[Scene, Swap], bool]:
    """Return whether the plane has caught up with so many steps; the job goes on meanwhile."""

    def knows(scene: Scene, _swap: Swap) -> bool:
        return (Job.objects.get(id=scene.job.id).committed_step or 0) >= committed

    return knows


def _no_step_lost(scene: Scene, _swap: Swap) -> bool:
    log = scene.job.read()
    return log.lost() == 0 and log.repeated() == 0


def _nothing_reserved(_scene: Scene, _swap: Swap) -> bool:
    return not Node.objects.filter(reserved_for__isnull=False).exists()


def _nothing_asked(_scene: Scene, _swap: Swap) -> bool:
    return not Request.objects.filter(state="pending").exists()


def _nothing_commanded(scene: Scene, _swap: Swap) -> bool:
    orders = Command.objects.filter(job_id=scene.job.id, kind__in=("swap", "abort_swap"))
    return not orders.filter(state__in=COMMAND.open_states).exists()


def _audit_verifies(_scene: Scene, _swap: Swap) -> bool:
    verdicts = audit_verify_all().values()
    return bool(verdicts) and all(verdict.ok for verdict in verdicts)


_CHECKS: Final[dict[str, Callable[[Scene, Swap], bool]]] = {
    "no committed step was lost, none was committed twice": _no_step_lost,
    "the rank's owner is who the swap's end says": _is_owned_as_it_ended,
    "the plane knows the owners": _knows_the_owners,
    "no spare is reserved": _nothing_reserved,
    "no approval is asked for": _nothing_asked,
    "no command about a swap is open": _nothing_commanded,
    "the audit chains verify": _audit_verifies,
}
