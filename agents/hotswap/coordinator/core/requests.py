"""What operators ask for."""

from typing import Final

from hotswap.coordinator.core import planned, readiness, takeovers
from hotswap.coordinator.core.job import Job, JobPhase
from hotswap.coordinator.core.planned_state import PlannedSwap, SwapPhase
from hotswap.coordinator.core.turn import Turn
from hotswap.wire.messages import (
    AbortRequest,
    PrepareRequest,
    Refused,
    SwapAccepted,
    SwapRequest,
)

#: Latest requests that are remembered, so that one that is repeated is answered alike.
REQUESTS_MAX: Final = 64


def swap(turn: Turn, sender: str, request: SwapRequest) -> None:
    """Begin a planned swap, or say why not."""
    job = turn.job
    known = job.requests.get(request.request)
    if known is not None:
        _accept(turn, sender, request.request, known)
        return
    target = _choose(job, request)
    refusal = _refusal(job, request, target)
    if refusal is not None or target is None:
        turn.send(sender, refusal or _NO_STANDBY)
        return
    planned_swap = PlannedSwap(
        id=takeovers.next_id(job, "planned", request.rank),
        request=request.request,
        rank=request.rank,
        origin=job.seats[request.rank].member,
        target=target,
        reason=request.reason,
        phase=SwapPhase.COPYING,
    )
    job.requests[request.request] = (planned_swap.id, request.rank, target)
    while len(job.requests) > REQUESTS_MAX:
        del job.requests[next(iter(job.requests))]
    job.swap = planned_swap
    turn.persist()
    _accept(turn, sender, request.request, job.requests[request.request])
    planned.begin(turn, planned_swap)


def _accept(turn: Turn, sender: str, request: str, known: tuple[str, int, str]) -> None:
    swap_id, rank, target = known
    turn.send(sender, SwapAccepted(request=request, swap=swap_id, rank=rank, target=target))


_NO_STANDBY: Final = Refused(
    code="no_standby", detail="no standby lives: start one, then ask again"
)


def _refusal(job: Job, request: SwapRequest, target: str | None) -> Refused | None:
    """Say why the swap can't begin now."""
    refusal = None
    if job.phase is not JobPhase.RUNNING or job.finished:
        detail = f"the job is {job.phase.value.replace('_', ' ')}: ask again while it runs"
        refusal = Refused(code="not_running", detail=detail)
    elif request.rank not in range(len(job.seats)):
        detail = f"there is no rank {request.rank}: name one of 0 to {len(job.seats) - 1}"
        refusal = Refused(code="unknown_rank", detail=detail)
    elif job.swap is not None:
        detail = f"swap {job.swap.id} is under way: wait for its end, or abort it"
        refusal = Refused(code="swap_in_progress", detail=detail)
    elif target is None:
        refusal = _NO_STANDBY
    elif target not in {member.name for member in job.standbys()}:
        detail = f"{target} is no standby: name one, or leave the choice to the coordinator"
        refusal = Refused(code="unknown_standby", detail=detail)
    return refusal


def _choose(job: Job, request: SwapRequest) -> str | None:
    """Choose the standby that is nearest to being able to take the rank over."""
    if request.target is not None:
        return request.target

    def distance(place: int, name: str, prepared: int | None) -> tuple[bool, bool, int]:
        view = job.mirror_view(request.rank, name)
        return (view is None or not view.usable, prepared != request.rank, place)

    standbys = enumerate(job.standbys())
    ranked = sorted(
        (distance(place, each.name, each.prepared_rank), each.name) for place, each in standbys
    )
    return ranked[0][1] if ranked else None


def abort(turn: Turn, sender: str, request: AbortRequest) -> None:
    """Give up a swap, as long as its epoch is not in force."""
    swap_in_flight = turn.job.swap
    if swap_in_flight is None or swap_in_flight.id != request.swap:
        detail = f"no swap {request.swap} is under way"
        turn.send(sender, Refused(code="unknown_swap", detail=detail))
    elif swap_in_flight.phase is SwapPhase.IN_FORCE:
        detail = f"swap {request.swap} is in force: it can't be aborted any more"
        turn.send(sender, Refused(code="too_late", detail=detail))
    else:
        planned.abort(turn, f"aborted by {sender}")


def prepare(turn: Turn, sender: str, request: PrepareRequest) -> None:
    """Tell a standby which rank's model to build in advance."""
    job = turn.job
    names = [member.name for member in job.standbys()]
    name = request.member or (names[0] if names else None)
    if name not in names or request.rank not in range(job.config.world_size):
        detail = f"{name or 'nobody'} can't prepare rank {request.rank}: name a standby and a rank"
        turn.send(sender, Refused(code="unknown_standby", detail=detail))
        return
    readiness.ask(turn, name, request.rank)
