"""How a swap is brought into each of its open states, and kept there until it is let go.

No process of the product knows of it. Before a swap begins, the plane is kept in the middle of a
write by a lock that an ordinary client holds in the database. Afterwards the job decides how far a
swap is, and the job stands still: a member that is stopped, or a step that is not granted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from apps.swaps.domain.states import State
from apps.swaps.models import Swap
from benchmarks.plane_rows.locks import NO_REQUEST, NO_SPARE, NO_START, locked, wait_blocked
from benchmarks.plane_rows.processes import kill_process, pid_of_service, stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import ExitStack

    from benchmarks.plane_rows.scene import Scene

    Bring = Callable[[Scene, int, ExitStack], Swap]

#: Longest wait for a state, s.
STATE_S: Final = 60.0
#: Steps that are granted, one at a time, for a phase that ends with one.
STEPS_MAX: Final = 8
#: Wait for what one of them brings, s.
STEP_SEEN_S: Final = 2.0


def proposed(scene: Scene, rank: int, keep: ExitStack) -> Swap:
    """Nobody can reserve the spare."""
    keep.enter_context(locked(scene.stack.layout.database_url, NO_SPARE))
    scene.propose(rank)
    return _blocked(scene, State.PROPOSED)


def planned(scene: Scene, rank: int, keep: ExitStack) -> Swap:
    """Nobody can be asked."""
    keep.enter_context(locked(scene.stack.layout.database_url, NO_REQUEST))
    scene.propose(rank)
    return _blocked(scene, State.PLANNED)


def awaiting_approval(scene: Scene, rank: int, _keep: ExitStack) -> Swap:
    """Nobody decides."""
    scene.propose(rank)
    return _seen(scene, State.AWAITING_APPROVAL)


def approved(scene: Scene, rank: int, keep: ExitStack) -> Swap:
    """Nobody can begin it."""
    keep.enter_context(locked(scene.stack.layout.database_url, NO_START))
    _approve(scene, rank)
    return _blocked(scene, State.APPROVED)


def preparing(scene: Scene, rank: int, keep: ExitStack) -> Swap:
    """The target is stopped: the command is out, and the model is not built."""
    keep.enter_context(stopped(scene.pid(scene.standby())))
    _approve(scene, rank)
    swap = _seen(scene, State.PREPARING)
    told = Swap.objects.filter(id=swap.id).exclude(runtime_swap_id="")
    return scene.see(told.first, "the coordinator's word of the swap", wait_s=STATE_S)


def verifying(scene: Scene, rank: int, _keep: ExitStack) -> Swap:
    """The step after which digests are compared is not granted."""
    scene.job.stand()
    _approve(scene, rank)
    return _seen(scene, State.VERIFYING)


def cutting_over(scene: Scene, rank: int, keep: ExitStack) -> Swap:
    """The step whose vote puts the swap into force is not granted."""
    verifying(scene, rank, keep)
    return _stepwise(scene, State.CUTTING_OVER)


def watching(scene: Scene, rank: int, keep: ExitStack) -> Swap:
    """The steps to be watched are not granted."""
    cutting_over(scene, rank, keep)
    return _stepwise(scene, State.WATCHING)


def aborting(scene: Scene, rank: int, keep: ExitStack) -> Swap:
    """Asked to be given up, and the agent that is to pass it on is stopped."""
    swap = preparing(scene, rank, keep)
    leader = scene.leader()
    assert leader is not None, "the job is calm"
    agent = pid_of_service(scene.stack.layout.directory, f"agent {scene.node_of(leader)}")
    keep.enter_context(stopped(agent))
    scene.abort(swap.id)
    asked = Swap.objects.filter(id=swap.id, state="aborting", abort_command__isnull=False)
    return scene.see(asked.first, "a swap that is to be given up", wait_s=STATE_S)


def taking_over(scene: Scene, rank: int, keep: ExitStack) -> Swap:
    """The owner was killed, and the one that keeps its state is stopped."""
    keep.enter_context(stopped(scene.pid(scene.standby())))
    owner = scene.owner(rank)
    assert owner is not None, "the job is calm"
    kill_process(scene.pid(owner))
    return _seen(scene, State.TAKING_OVER)


BRING: Final[Mapping[State, Bring]] = {
    State.PROPOSED: proposed,
    State.PLANNED: planned,
    State.AWAITING_APPROVAL: awaiting_approval,
    State.APPROVED: approved,
    State.PREPARING: preparing,
    State.VERIFYING: verifying,
    State.CUTTING_OVER: cutting_over,
    State.WATCHING: watching,
    State.ABORTING: aborting,
    State.TAKING_OVER: taking_over,
}


def _approve(scene: Scene, rank: int) -> None:
    awaited = Swap.objects.filter(job_id=scene.job.id, state=State.AWAITING_APPROVAL.value)
    scene.propose(rank)
    scene.see(awaited.first, "a request for approval", wait_s=STATE_S)
    scene.approve_all()


def _seen(scene: Scene, state: State) -> Swap:
    rows = Swap.objects.filter(job_id=scene.job.id, state=state.value)
    return scene.see(rows.first, f"a swap that is {state}", wait_s=STATE_S)


def _blocked(scene: Scene, state: State) -> Swap:
    swap = _seen(scene, state)
    wait_blocked()
    return swap


def _stepwise(scene: Scene, state: State) -> Swap:
    """Grant steps until a state is reached, and none after that."""
    for _ in range(STEPS_MAX):
        scene.job.grant()
        try:
            rows = Swap.objects.filter(job_id=scene.job.id, state=state.value)
            return scene.see(rows.first, f"a swap that is {state}", wait_s=STEP_SEEN_S)
        except TimeoutError:
            continue
    raise TimeoutError(f"{STEPS_MAX} steps brought no swap that is {state}")
