"""The lease by which one coordinator of a job leads, and the record that it guards.

`LeaseStore` is a port. `MemoryLeaseStore` implements it within one process, `FileLeaseStore` on one
machine; one conformance suite holds them to the same behaviour.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to lead, until ``expires_s``."""

    # coordinator that leads
    name: str
    # fencing token: higher than that of every lease before it
    token: int
    # how long it lasts without being renewed
    ttl_s: float
    # when it was acquired or last renewed, on the clock of ``now``
    renewed_s: float
    # when the leader before this one last renewed its lease: since then at most was nobody leading;
    # None: there was no leader before, or its clock is not comparable
    unled_since_s: float | None = None

    @property
    def expires_s(self) -> float:
        """When another may acquire the lease; its holder must stop acting before."""
        return self.renewed_s + self.ttl_s

    def is_valid(self, now: float) -> bool:
        """Whether its holder may act at ``now``."""
        return now < self.expires_s


class LeaseStore(Protocol):
    """Decides which coordinator leads, and keeps the one record that only the leader may replace.

    Order of calls, by each coordinator:

    1. ``acquire``, again and again, until it returns a lease; ``holder`` tells who leads meanwhile.
    2. ``load`` once, directly after that: no save with a lower token can come after it.
    3. ``renew`` well before the lease expires, and ``save`` whenever the record changes, before
       anything is done that the record has to know about. Any of them may raise `FencedOff`: stop
       acting at once, and begin again at 1.
    4. ``release`` in an orderly end, so that the next leader need not wait for the expiry.

    Each call takes place at once, in one order for all coordinators (it is linearizable), or not at
    all: also when its process is killed in the middle. A process that is frozen in the middle of
    a call holds up nobody, and finds itself fenced off when it goes on.

    ``now`` is in seconds, of a clock that all coordinators of the store share. Leases outlive their
    holders' clocks only as long as that holds: see the implementations. Calls are made from one
    thread at a time, take milliseconds at most and don't wait for other processes.

    Every call raises `LeaseDamaged` when what is stored can't be read, and `StateUnwritable` when
    it can't be changed (disk full); the state is then as it was before.
    """

    def acquire(self, *, name: str, ttl_s: float, now: float) -> Lease | None:
        """Become the leader if there is none, under a token higher than any before; else None.

        A coordinator that holds the lease doesn't get it again: it renews, or waits like others.
        """

    def renew(self, lease: Lease, *, now: float) -> Lease:
        """Extend ``lease`` to ``now + ttl_s`` and return it.

        Raises:
            FencedOff: it has expired, or was released, even if nobody has acquired it since.

        """

    def release(self, lease: Lease) -> None:
        """Stop leading; does nothing if ``lease`` is no longer the latest."""

    def holder(self, *, now: float) -> Lease | None:
        """Return the lease that is valid at ``now``; None: nobody leads."""

    def load(self) -> bytes | None:
        """Return the record that was saved last; None: none ever was."""

    def save(self, lease: Lease, record: bytes) -> None:
        """Replace the record; it outlives this process when this returns.

        Raises:
            FencedOff: a lease with a higher token has been acquired, so nothing was saved. As long
                as none has, the latest holder may save even if its lease has expired.

        """
