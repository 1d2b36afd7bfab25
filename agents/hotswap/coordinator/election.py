"""One coordinator's part in the election: leads while its lease lasts, and asks for one otherwise.

Nothing here waits: whoever owns an `Election` calls ``look`` at short intervals, and checks
``leads`` before it does anything in the leader's name. A process that was frozen finds its lease
expired by the same clock that the others go by, before it has done anything.
"""

from collections.abc import Callable
from dataclasses import dataclass

from hotswap.coordinator.lease import Lease, LeaseStore
from hotswap.errors import FencedOff
from hotswap.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Elected:
    """This coordinator leads from now on."""

    lease: Lease
    # longest time for which nobody can have been leading before, s; None: it is the first leader
    election_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deposed:
    """This coordinator leads no more."""

    reason: str


class Election:
    """Where one coordinator stands."""

    def __init__(
        self, store: LeaseStore, *, name: str, limits: Limits, clock: Callable[[], float]
    ) -> None:
        """Stand for election as ``name``; ``clock`` is the one that the store goes by."""
        self._store = store
        self._name = name
        self._limits = limits
        self._clock = clock
        self._lease: Lease | None = None

    @property
    def lease(self) -> Lease | None:
        """The lease that this coordinator holds, valid or just expired."""
        return self._lease

    @property
    def leads(self) -> bool:
        """Whether this coordinator may act as the leader at this moment."""
        return self._lease is not None and self._lease.is_valid(self._clock())

    @property
    def look_again_s(self) -> float:
        """How long to wait before the next ``look``."""
        return self._limits.leader_poll_s if self._lease is None else self._limits.leader_renew_s

    def look(self) -> Elected | Deposed | None:
        """Renew the lease, or try to get one; return what changes by that.

        Raises:
            LeaseDamaged: nobody can tell who leads, so this coordinator can't go on.
            StateUnwritable: the lease could be neither renewed nor acquired; it lasts for as long
                as it would have, and the next look may succeed.

        """
        return self._ask() if self._lease is None else self._renew(self._lease)

    def save(self, record: bytes) -> None:
        """Save the record that only the leader may replace.

        Raises:
            FencedOff: another coordinator leads, or may lead since.
            LeaseDamaged, StateUnwritable: it was not saved.

        """
        if self._lease is None or not self.leads:
            raise FencedOff(f"{self._name} leads no more: its lease has expired; stop acting")
        self._store.save(self._lease, record)

    def load(self) -> bytes | None:
        """Return the record that the former leader left."""
        return self._store.load()

    def leader(self) -> Lease | None:
        """Return the lease of whoever leads at this moment."""
        return self._store.holder(now=self._clock())

    def step_down(self) -> None:
        """Stop acting, without telling the others: they may know better."""
        self._lease = None

    def resign(self) -> None:
        """Let another lead at once."""
        lease, self._lease = self._lease, None
        if lease is not None:
            self._store.release(lease)

    def _ask(self) -> Elected | None:
        lease = self._store.acquire(
            name=self._name, ttl_s=self._limits.leader_lease_s, now=self._clock()
        )
        if lease is None:
            return None
        self._lease = lease
        since_s = lease.unled_since_s
        return Elected(lease=lease, election_s=None if since_s is None else self._clock() - since_s)

    def _renew(self, lease: Lease) -> Deposed | None:
        now = self._clock()
        if not lease.is_valid(now):
            # others have judged by the same clock: whatever this one still wants to do is too late
            late_s = now - lease.expires_s
            return self._deposed(f"the lease expired {late_s:.3f} s ago, before it was renewed")
        try:
            self._lease = self._store.renew(lease, now=now)
        except FencedOff as error:
            return self._deposed(str(error))
        return None

    def _deposed(self, reason: str) -> Deposed:
        self.step_down()
        return Deposed(reason=reason)
