"""What the driver knows when it decides: a swap, and what the database says around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from apps.swaps.domain.band import Band, Point
from apps.swaps.domain.states import State


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapView:
    """A swap, as far as the next step depends on it."""

    # where it stands
    state: State
    # whether nobody planned it: a takeover after a loss
    unplanned: bool
    # when its present wait ends; None: it waits for nothing
    deadline_at: datetime | None
    # member that is to own the rank
    target_member: str
    # digest of its plan, and the one that its open or given approval is bound to; "" before
    plan_digest: str
    approved_digest: str
    # plans that were made for it
    plans_count: int
    # first step that counts as watched; None before it is in force
    watch_from_step: int | None
    # steps that are watched
    watch_steps: int
    # registered beforehand; None: nothing was known to make one of
    band: Band | None
    # when it was asked to be given up, and why; None and "": it was not
    abort_asked_at: datetime | None
    abort_reason: str
    # looks at it in vain since then
    abort_looks: int
    # the coordinator's id of it, by which it can be given up; "": not known
    runtime_swap_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A command to the agent that hosts the job's coordinator."""

    # queued, sent, accepted, done, failed, refused, expired
    state: str
    # what the agent says of it
    detail: str = ""
    # whether it ever left for the agent
    left: bool = True

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes of it than what was told already."""
        return self.state in ("refused", "expired", "failed")

    @property
    def did_nothing(self) -> bool:
        """Whether it was certainly not carried out: the agent says so, or never had it."""
        return self.state == "refused" or (self.is_over and not self.left)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How the runtime says that a swap ended."""

    # "completed" or "aborted"
    kind: str
    # why, as the coordinator says
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known around a swap; every unknown is None, and never taken for good or bad."""

    # why the plan can't be carried out as it was approved; None: it can
    plan_void: str | None = None
    # why planning found no plan; None: not tried, or found
    plan_refused: str | None = None
    # pending, approved, refused, expired, void; None: not asked
    approval: str | None = None
    # why nothing may start now (brake, limits, hold); None: it may
    held_by: str | None = None
    # the command that starts the swap, and the one that gives it up
    swap_order: Order | None = None
    abort_order: Order | None = None
    # phase that the runtime last told of this swap: copying ... in_force
    phase: str | None = None
    # how the runtime says it ended
    ending: Ending | None = None
    # whether the target owns the rank, by the job's own account; None: not known
    target_owns: bool | None = None
    # step at which the rank changed hands
    in_force_step: int | None = None
    # running, finished, failed, stopped, ...
    job_state: str = "running"
    # when the job last reported
    job_reported_at: datetime | None = None
    # steps committed by the job
    committed_step: int | None = None
    # losses of the band's series, from the first watched step on, in order
    losses: tuple[Point, ...] = ()
    # what was measured: pause_ms, stall_ms, steps_lost, by name
    measured: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    # member that the runtime names as the new owner; "": it has not
    new_owner: str = ""
    # the coordinator's id of the swap, as far as anybody has told it
    runtime_swap_id: str = ""
    # whether the runtime's certificate is here, and whether it says that the states were equal
    certified: bool = False
    states_equal: bool | None = None
