"""A lease store within one process, for tests and simulations: whole, but gone with the process."""

from hotswap.coordinator import lease_state
from hotswap.coordinator.lease import Lease
from hotswap.coordinator.lease_state import NOBODY


class MemoryLeaseStore:
    """Implements `hotswap.coordinator.lease.LeaseStore`; share one object among coordinators."""

    def __init__(self) -> None:
        """Begin without a leader and without a record."""
        self._state = NOBODY

    def acquire(self, *, name: str, ttl_s: float, now: float) -> Lease | None:
        """See `LeaseStore.acquire`."""
        if lease_state.holder(self._state, now=now) is not None:
            return None
        self._state = lease_state.acquired(self._state, name=name, ttl_s=ttl_s, now=now)
        return self.holder(now=now)

    def renew(self, lease: Lease, *, now: float) -> Lease:
        """See `LeaseStore.renew`."""
        self._state = lease_state.renewed(self._state, lease, now=now)
        renewed = self.holder(now=now)
        assert renewed is not None, "a lease that has just been renewed is valid"
        return renewed

    def release(self, lease: Lease) -> None:
        """See `LeaseStore.release`."""
        self._state = lease_state.released(self._state, lease)

    def holder(self, *, now: float) -> Lease | None:
        """See `LeaseStore.holder`."""
        return lease_state.holder(self._state, now=now)

    def load(self) -> bytes | None:
        """See `LeaseStore.load`."""
        return self._state.record

    def save(self, lease: Lease, record: bytes) -> None:
        """See `LeaseStore.save`."""
        self._state = lease_state.saved(self._state, lease, record)
