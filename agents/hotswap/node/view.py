"""What the launcher knows of a running job, folded from what the leader tells. Pure."""

from dataclasses import dataclass, field, replace
from typing import Literal

from hotswap.wire.messages import Notice, RankStatus, Status

#: Values of a committed step that are not the script's own.
MEASURED = frozenset({"loss", "step_s", "samples", "ranks"})

Protection = Literal["protected", "catching_up", "unprotected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankView:
    """One rank; None is unknown."""

    member: str | None = None
    protection: Protection | None = None
    # steps that the mirror is behind
    lag_steps: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """The job at a glance; None is unknown."""

    world_size: int
    epoch: int | None = None
    leader: str | None = None
    # steps that were applied
    committed: int | None = None
    # mean over the ranks that reported one for the last step
    loss: float | None = None
    # slowest rank's last step, s
    step_s: float | None = None
    # what the script reported besides, the latest of each
    reported: dict[str, float] = field(default_factory=dict)
    # swap under way, in words
    swap: str | None = None
    ranks: dict[int, RankView] = field(default_factory=dict)

    def rank(self, rank: int) -> RankView:
        """Give what is known of a rank, which may be nothing."""
        return self.ranks.get(rank, RankView())

    @property
    def protected(self) -> int | None:
        """Number of ranks that have a mirror; unknown as long as that of one rank is."""
        known = [self.rank(rank).protection for rank in range(self.world_size)]
        return None if None in known else known.count("protected")

    @property
    def lag_steps(self) -> tuple[int, int] | None:
        """Smallest and largest lag of the mirrors; None as long as none is known."""
        lags = [view.lag_steps for view in self.ranks.values() if view.lag_steps is not None]
        return (min(lags), max(lags)) if lags else None


def with_notice(view: JobView, notice: Notice) -> JobView:
    """Fold in a notice."""
    view = replace(view, epoch=max(view.epoch or 0, notice.epoch) or None)
    match notice.kind:
        case "committed":
            view = _committed(view, notice)
        case "restored":
            view = replace(view, committed=notice.step, loss=None, step_s=None)
        case "elected":
            view = replace(view, leader=notice.member or view.leader)
        case "mirror_complete":
            view = _with_protection(view, notice.rank, "protected")
        case "protection_lost":
            view = _with_protection(view, notice.rank, "unprotected")
        case "swap_phase":
            view = replace(view, swap=_swap(notice.rank, notice.text))
        case "swap_completed" | "swap_aborted":
            view = replace(view, swap=None)
    return view


def with_status(view: JobView, status: Status) -> JobView:
    """Fold in a snapshot, which is right about everything it knows."""
    ranks = {each.rank: _rank_view(each) for each in status.ranks}
    return replace(
        view,
        epoch=status.epoch or None,
        leader=status.leader or None,
        committed=max(status.committed, view.committed or 0) if status.epoch else view.committed,
        swap=None if status.swap is None else view.swap or _swap(None, status.swap_phase or ""),
        ranks=view.ranks | ranks,
    )


def _swap(rank: int | None, phase: str) -> str:
    """Name the swap under way and its phase."""
    subject = "swap" if rank is None else f"swap of rank {rank}"
    return f"{subject}: {phase}" if phase else subject


def _rank_view(status: RankStatus) -> RankView:
    return RankView(member=status.member, protection=status.protection, lag_steps=status.lag_steps)


def _committed(view: JobView, notice: Notice) -> JobView:
    """Fold in a step; a step that was committed already says nothing new."""
    if notice.step is None or (view.committed is not None and notice.step < view.committed - 1):
        return view
    reported = {name: value for name, value in notice.values.items() if name not in MEASURED}
    return replace(
        view,
        committed=notice.step + 1,
        loss=notice.values.get("loss"),
        step_s=notice.values.get("step_s"),
        reported=view.reported | reported,
    )


def _with_protection(view: JobView, rank: int | None, protection: Protection) -> JobView:
    """Change the protection of one rank; its lag is unknown until the next snapshot."""
    if rank is None:
        return view
    ranks = view.ranks | {rank: replace(view.rank(rank), protection=protection, lag_steps=None)}
    return replace(view, ranks=ranks)
