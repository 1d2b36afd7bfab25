"""One coordinator: stands for election, leads while it is elected, and sends others to the leader.

While it doesn't lead, it does nothing but look at the lease: whoever says Hello is told where the
leader listens.
"""

import asyncio
import time
from collections.abc import Callable

import structlog

from hotswap.channel.addresses import Address
from hotswap.coordinator.address_book import AddressBook, DirectoryBook
from hotswap.coordinator.admission import Door
from hotswap.coordinator.core.coordinator import Coordinator
from hotswap.coordinator.election import Deposed, Elected, Election
from hotswap.coordinator.errands import Errands
from hotswap.coordinator.lease import LeaseStore
from hotswap.coordinator.listener import Listener
from hotswap.coordinator.peers import Peer
from hotswap.coordinator.settings import Settings
from hotswap.coordinator.term import Term
from hotswap.errors import LeaseDamaged, StateUnwritable
from hotswap.wire.messages import Hello, Refused, ToCoordinator

_log = structlog.get_logger()


class Candidate:
    """One coordinator, from its start to its end; the desk of its own listener."""

    def __init__(
        self,
        settings: Settings,
        store: LeaseStore,
        *,
        clock: Callable[[], float] = time.monotonic,
        book: AddressBook | None = None,
    ) -> None:
        """Prepare; ``run`` does the rest.

        Args:
            settings: how to run.
            store: decides who leads.
            clock: the one that ``store`` goes by.
            book: where to announce; None: in the job's directory.

        """
        self._book = book or DirectoryBook(settings.job_directory)
        self._settings = settings
        self._limits = settings.limits
        self._election = Election(store, name=settings.name, limits=settings.limits, clock=clock)
        door = Door(job=settings.job, key=settings.key, limits=settings.limits)
        self._listener = Listener(self, door)
        self._address = Address(settings.host, settings.port)
        self._errands = Errands(settings, failed=self.failed)
        self._term: Term | None = None
        self._failure: BaseException | None = None
        self._stopping = False
        self._awake = asyncio.Event()
        self._look_s = 0.0
        self._unwritable = False

    def stop(self) -> None:
        """Let ``run`` come to its end."""
        self._stopping = True
        self._awake.set()

    async def run(self) -> None:
        """Take part until ``stop`` is called.

        Raises:
            PortInUse: another process listens on the port.
            LeaseDamaged: nobody can tell any more who leads.
            OSError: the job's directory cannot be written.

        """
        port = await self._listener.open(host=self._settings.host, port=self._settings.port)
        self._address = Address(self._settings.host, port)
        try:
            self._book.announce(name=self._settings.name, address=self._address)
            _log.info("listening", address=str(self._address), name=self._settings.name)
            await self._stand()
        finally:
            self._close_term()
            self._resign()
            await self._listener.close()
            await self._errands.close()
            self._book.withdraw(name=self._settings.name)

    # ------------------------------------------------------------------------- the listener's desk

    def refusal(self, hello: Hello) -> Refused | None:
        """Send everybody to the leader who is not at the right place."""
        if self._term is not None and self._election.leads:
            return None
        leader = self._election.leader()
        address = self._book.address_of(name=leader.name) if leader else None
        where = f"{address} leads" if address else "ask again soon, one is being elected"
        return Refused(
            code="not_leader",
            detail=f"{self._settings.name} does not lead job {hello.job}: {where}",
            leader=str(address) if address else "",
        )

    def joined(self, peer: Peer, hello: Hello) -> None:
        """Take in a connection."""
        if self._term is None:
            peer.close()
        else:
            self._term.joined(peer, hello)

    def received(self, peer: Peer, message: ToCoordinator) -> None:
        """Take in a message."""
        if self._term is not None:
            self._term.received(peer, message)

    def left(self, peer: Peer) -> None:
        """Learn that a connection has ended."""
        if self._term is not None:
            self._term.left(peer)

    def failed(self, error: BaseException) -> None:
        """End: what the failed call left behind can't be relied on, and another can lead."""
        self._failure = error
        self._awake.set()

    # ----------------------------------------------------------------------------------- standing

    async def _stand(self) -> None:
        """Look at lease and clock again and again."""
        while not self._stopping:
            if self._failure is not None:
                raise self._failure
            self._step()
            await self._sleep(self._limits.tick_s if self._term else self._limits.leader_poll_s)

    async def _sleep(self, pause_s: float) -> None:
        try:
            await asyncio.wait_for(self._awake.wait(), pause_s)
        except TimeoutError:
            return

    def _step(self) -> None:
        if time.monotonic() >= self._look_s:
            self._look()
            self._look_s = time.monotonic() + self._election.look_again_s
        if self._term is not None:
            self._term.tick()

    def _look(self) -> None:
        try:
            outcome = self._election.look()
        except StateUnwritable as error:
            if not self._unwritable:
                _log.error("lease_unwritable", detail=str(error))
            self._unwritable = True
            return
        self._unwritable = False
        match outcome:
            case Elected():
                self._lead(outcome)
            case Deposed():
                self._depose(outcome.reason)

    def _lead(self, elected: Elected) -> None:
        token, election_s = elected.lease.token, elected.election_s
        _log.info("elected_leader", name=self._settings.name, token=token, election_s=election_s)
        core = Coordinator(
            job=self._settings.job,
            name=self._settings.name,
            world_size=self._settings.world_size,
            limits=self._limits,
        )
        self._term = Term(
            self._settings,
            core=core,
            election=self._election,
            elected=elected,
            errands=self._errands,
            ended=self._depose,
        )
        self._term.begin()
        if self._election.lease is not None:  # it may have ended already
            self._announce(token)

    def _depose(self, reason: str) -> None:
        """Lead no more; whoever is connected looks for the new leader."""
        _log.warning("deposed", name=self._settings.name, reason=reason)
        self._election.step_down()
        self._close_term()
        self._announce(0)

    def _close_term(self) -> None:
        if self._term is not None:
            self._term.close()
            self._term = None

    def _resign(self) -> None:
        try:
            self._election.resign()
        except (LeaseDamaged, StateUnwritable) as error:
            # the lease ends with this process anyway
            _log.warning("resignation_failed", detail=str(error))

    def _announce(self, token: int) -> None:
        try:
            self._book.announce(name=self._settings.name, address=self._address, token=token)
        except OSError as error:
            # members still find this coordinator among the others
            _log.error("announcement_failed", detail=str(error))
