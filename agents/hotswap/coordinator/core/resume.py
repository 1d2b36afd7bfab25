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

Holdings = Mapping[str, Sequence[Holding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Who may own one rank."""

    # who has to be it, if able: the living owner, or the newcomer of a swap that is in force
    owner: str | None
    # others that may hold the rank's state, best first
    others: tuple[str, ...] = ()


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


def decide_resume(
    *,
    claims: Sequence[Claim],
    holdings: Holdings,
    committed: int,
    restored_epoch: int,
    spares: Sequence[str],
) -> Resume | Lost:
    """Decide where the job goes on.

    Args:
        claims: by rank, who may own it.
        holdings: what the living members have reported after they had left every dead epoch.
        committed: steps that are known to be committed.
        restored_epoch: epoch of the last restore; copies from before belong to another history.
        spares: living members that own no rank, best first.

    """
    valid = {
        member: [holding for holding in held if holding.since_epoch >= restored_epoch]
        for member, held in holdings.items()
    }
    target = max((h.version for held in valid.values() for h in held), default=0)
    target = max(target, committed)
    owners: list[str | None] = [None] * len(claims)
    for rank, claim in enumerate(claims):
        if claim.owner is not None and _reaches(valid.get(claim.owner, ()), rank, target):
            owners[rank] = claim.owner
    fixed = {claim.owner for claim in claims if claim.owner is not None}
    fresh = spares if target == 0 and restored_epoch == 0 else ()
    found = match(
        {
            rank: _candidates(claims[rank], rank, target, valid, fixed=fixed, fresh=fresh)
            for rank, owner in enumerate(owners)
            if owner is None
        }
    )
    for rank, member in found.items():
        owners[rank] = member
    certain = _certain(valid.values())
    missing = tuple(rank for rank, owner in enumerate(owners) if owner is None)
    if missing:
        return Lost(ranks=missing, committed=target, certain=certain)
    return Resume(
        owners=tuple(owner for owner in owners if owner is not None),
        committed=target,
        certain=certain,
    )


def _candidates(
    claim: Claim,
    rank: int,
    target: int,
    valid: Holdings,
    *,
    fixed: set[str],
    fresh: Sequence[str],
) -> list[str]:
    """List who can own a rank whose owner can't; who owns another rank is not among them."""
    able = [
        member
        for member in claim.others
        if member not in fixed and _reaches(valid.get(member, ()), rank, target)
    ]
    return able + [member for member in fresh if member not in able and member not in fixed]


def _reaches(held: Iterable[Holding], rank: int, target: int) -> bool:
    """Whether one of the states is that of ``rank`` and is, or can be brought, at ``target``."""
    return any(
        holding.rank == rank
        and holding.complete
        and holding.intact
        and (holding.version == target or (holding.pending and holding.version == target - 1))
        for holding in held
    )


def _certain(valid: Iterable[Iterable[Holding]]) -> bool:
    return any(holding.kind != "mirror" for held in valid for holding in held)
