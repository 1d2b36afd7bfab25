"""What a lease store stores, and what each call makes of it: pure, shared by all stores."""

from typing import Final

import msgspec

from hotswap.coordinator.lease import Lease
from hotswap.errors import FencedOff


class Tenure(msgspec.Struct, frozen=True, kw_only=True):
    """A coordinator's time as leader, so far."""

    name: str
    ttl_s: float
    renewed_s: float
    unled_since_s: float | None = None
    # set by `release`: the time is over
    released: bool = False


class LeaseState(msgspec.Struct, frozen=True, kw_only=True):
    """All that a store holds."""

    # highest token that was ever given out; 0: none
    token: int = 0
    # of the coordinator that was given it
    tenure: Tenure | None = None
    record: bytes | None = None


NOBODY: Final = LeaseState()


def holder(state: LeaseState, *, now: float) -> Lease | None:
    """Return the lease that is valid at ``now``."""
    tenure = state.tenure
    if tenure is None or tenure.released:
        return None
    lease = Lease(
        name=tenure.name,
        token=state.token,
        ttl_s=tenure.ttl_s,
        renewed_s=tenure.renewed_s,
        unled_since_s=tenure.unled_since_s,
    )
    return lease if lease.is_valid(now) else None


def acquired(state: LeaseState, *, name: str, ttl_s: float, now: float) -> LeaseState:
    """Return the state in which ``name`` leads; the caller has seen that nobody does."""
    former = state.tenure
    tenure = Tenure(
        name=name,
        ttl_s=ttl_s,
        renewed_s=now,
        unled_since_s=former.renewed_s if former else None,
    )
    return msgspec.structs.replace(state, token=state.token + 1, tenure=tenure)


def renewed(state: LeaseState, lease: Lease, *, now: float) -> LeaseState:
    """Return the state in which ``lease`` lasts for another ``ttl_s``.

    Raises:
        FencedOff: it is over.

    """
    current = holder(state, now=now)
    if current is None or current.token != lease.token:
        raise fenced(state, lease)
    tenure = msgspec.structs.replace(_tenure(state), renewed_s=now)
    return msgspec.structs.replace(state, tenure=tenure)


def released(state: LeaseState, lease: Lease) -> LeaseState:
    """Return the state in which ``lease`` is over; unchanged if it isn't the latest."""
    if state.token != lease.token:
        return state
    tenure = msgspec.structs.replace(_tenure(state), released=True)
    return msgspec.structs.replace(state, tenure=tenure)


def saved(state: LeaseState, lease: Lease, record: bytes) -> LeaseState:
    """Return the state with another record.

    Raises:
        FencedOff: ``lease`` isn't the latest.

    """
    if state.token != lease.token:
        raise fenced(state, lease)
    return msgspec.structs.replace(state, record=record)


def fenced(state: LeaseState, lease: Lease) -> FencedOff:
    """Return the error that tells the holder of ``lease`` to stop."""
    tenure = state.tenure
    if state.token == lease.token:
        why = "its lease has expired"
    else:
        successor = tenure.name if tenure else "another coordinator"
        why = f"{successor} has led since, with token {state.token}"
    return FencedOff(f"{lease.name} no longer leads with token {lease.token}: {why}; stop acting")


def _tenure(state: LeaseState) -> Tenure:
    assert state.tenure is not None, "a token was given out, so somebody was given it"
    return state.tenure
