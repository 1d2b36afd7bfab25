"""Where the job goes on after an epoch has died, and who owns which rank. Pure.

The step that counts
    A rank applies a step only after a vote in which every rank was ready, and a rank is ready only
    when it holds its gradients and its mirrors do. So whatever the highest step is that anybody
    has applied, every rank that is left can be brought there: by rolling one step forward, or
    because it is there. ``target`` is that step: the highest version that anybody reports, or
    that was known to be committed before.

Who can own a rank
    Its owner, if that lives. Otherwise a member with a copy that can be brought to ``target``,
    and that owns no other rank. While nothing was committed at all, every process can: what the
    script builds is the state. If nobody can, the rank's state is lost.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hotswap.coordinator.core.matching import match
from hotswap.wire.messages import Holding


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """Every rank's state is there."""

    # by rank
    owners: tuple[str, ...]
    # steps that every rank is brought to
    committed: int
    # whether an owner that lives says so; otherwise more steps may have been committed
    certain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The state of some ranks is nowhere: the job has to go back to a checkpoint."""

    ranks: tuple[int, ...]
    # steps that were committed, as far as is known
    committed: int
    # whether an owner that lives says so; otherwise more steps may have been committed
    certain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What is known once everybody has reported who can."""

    # by rank: the member that has to own it, if it is able to; None: its owner is lost
    owners: Sequence[str | None]
    # rank -> who else may hold its state, best first
    heirs: Mapping[int, Sequence[str]]
    # what the living members have reported after they had left every dead epoch
    holdings: Mapping[str, Sequence[Holding]]
    # steps that are known to be committed
    committed: int
    # epoch of the last restore; copies from before belong to another history
    restored_epoch: int
    # living members that own no rank, best first
    spares: Sequence[str]

    def target(self) -> int:
        """Return how many steps anybody has applied."""
        target, restored_epoch = self.committed, self.restored_epoch
        for held in self.holdings.values():
            for holding in held:
                if holding.version > target and holding.since_epoch >= restored_epoch:
                    target = holding.version
        return target

    def is_certain(self) -> bool:
        """Whether an owner lives that can tell what was committed."""
        return any(
            holding.kind != "mirror" and holding.since_epoch >= self.restored_epoch
            for held in self.holdings.values()
            for holding in held
        )

    def reaches(self, member: str, rank: int, target: int) -> bool:
        """Whether ``member`` holds ``rank`` at ``target`` steps, or can bring it there."""
        for holding in self.holdings.get(member, ()):
            there = holding.version == target or (holding.pending and holding.version == target - 1)
            if (
                there
                and holding.rank == rank
                and holding.complete
                and holding.intact
                and holding.since_epoch >= self.restored_epoch
            ):
                return True
        return False


def decide_resume(situation: Situation) -> Resume | Lost:
    """Decide where the job goes on."""
    target = situation.target()
    owners = [
        owner if owner is not None and situation.reaches(owner, rank, target) else None
        for rank, owner in enumerate(situation.owners)
    ]
    found = match(_candidates(situation, owners, target))
    for rank, member in found.items():
        owners[rank] = member
    certain = situation.is_certain()
    missing = tuple(rank for rank, owner in enumerate(owners) if owner is None)
    if missing:
        return Lost(ranks=missing, committed=target, certain=certain)
    return Resume(
        owners=tuple(owner for owner in owners if owner is not None),
        committed=target,
        certain=certain,
    )


def _candidates(
    situation: Situation, owners: Iterable[str | None], target: int
) -> dict[int, list[str]]:
    """List who can own each rank whose owner can't; who owns another rank is not among them."""
    open_ranks = [rank for rank, owner in enumerate(owners) if owner is None]
    if not open_ranks:
        return {}
    fixed = set(situation.owners)
    fresh = situation.spares if target == 0 and situation.restored_epoch == 0 else ()
    candidates = {}
    for rank in open_ranks:
        able = [
            member
            for member in situation.heirs.get(rank, ())
            if member not in fixed and situation.reaches(member, rank, target)
        ]
        able += [member for member in fresh if member not in able and member not in fixed]
        candidates[rank] = able
    return candidates
