"""What an operator asks of a running job, as blocking calls.

Whoever leads is found, and found again when it changes while a swap is followed. Every wait has a
named limit.
"""

import asyncio
import secrets
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from hotswap.errors import (
    CoordinatorUnreachable,
    PeerSilent,
    SwapNotCompleted,
    WireError,
)
from hotswap.limits import Limits
from hotswap.node.job_directory import JobDirectory
from hotswap.node.leader import Caller, LeaderConnection, find_leader, refusal
from hotswap.wire.messages import (
    AbortRequest,
    FromCoordinator,
    Message,
    Notice,
    PrepareRequest,
    Refused,
    Status,
    StatusRequest,
    SwapAccepted,
    SwapRequest,
)

_Answer = TypeVar("_Answer", bound=Message)
_Result = TypeVar("_Result")


def operator_of(directory: JobDirectory, *, limits: Limits) -> "Operator":
    """Give an operator of the job in ``directory``.

    Raises:
        JobUnknown: the job has no key, so there is nothing to talk to.

    """
    caller = Caller(
        job=directory.name,
        directory=directory.path,
        key=directory.read_key(),
        role="operator",
        name=f"operator-{secrets.token_hex(4)}",
    )
    return Operator(caller=caller, limits=limits)


class Operator:
    """One connection to a job's leader; a context manager.

    Raises, from every call:
        CoordinatorUnreachable: nobody leads, or the leader does not answer in time.
        RequestRefused: the leader refuses; the message is for people, ``refusal`` for programs.
    """

    def __init__(self, *, caller: Caller, limits: Limits) -> None:
        """Prepare; the first call connects."""
        self._caller = caller
        self._limits = limits
        self._runner = asyncio.Runner()
        self._connection: LeaderConnection | None = None
        self._token = 0

    def __enter__(self) -> Self:
        """Return the operator itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the connection."""
        self.close()

    def close(self) -> None:
        """Close the connection; idempotent."""
        self._drop()
        self._runner.close()

    def status(self) -> Status:
        """Ask for a snapshot of the job."""
        return self._run(self._ask(StatusRequest(), Status))

    def swap(
        self, *, rank: int, target: str | None = None, reason: str = "", request: str | None = None
    ) -> SwapAccepted:
        """Ask for a planned swap of ``rank``; say under which id it was accepted.

        The leader answers a ``request`` that it has accepted before alike; None: a new one.
        """
        name = request or secrets.token_hex(8)
        asked = SwapRequest(request=name, rank=rank, target=target, reason=reason)
        return self._run(self._ask(asked, SwapAccepted))

    def follow(
        self, accepted: SwapAccepted, *, on_notice: Callable[[Notice], None] | None = None
    ) -> Notice | None:
        """Wait until a swap has ended.

        Args:
            accepted: what `swap` returned.
            on_notice: called for each notice about the rank meanwhile.

        Returns:
            The notice of its completion, with what it cost; None when the leader changed in
            between: the rank has changed hands, and what it cost is in the certificate.

        Raises:
            SwapNotCompleted: it was given up, or takes longer than ``swap_wait_s``.

        """
        return self._run(self._follow(accepted, on_notice or _ignore))

    def abort(self, swap: str) -> Status:
        """Ask that a swap be given up; give a snapshot from after the request."""
        return self._run(self._ask_and_look(AbortRequest(swap=swap)))

    def prepare(self, *, rank: int, member: str | None = None) -> Status:
        """Ask that a standby build the model of a rank; give a snapshot from after the request."""
        return self._run(self._ask_and_look(PrepareRequest(rank=rank, member=member)))

    def _run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        return self._runner.run(work)

    async def _connect(self) -> LeaderConnection:
        """Give the connection, a new one if there is none any more."""
        await asyncio.sleep(0)  # the loop stood still since the last call: let it see what came
        if self._connection is not None and self._connection.ended:
            self._drop()
        if self._connection is None:
            self._connection, welcome = await find_leader(
                self._caller, limits=self._limits, token=self._token
            )
            self._token = welcome.token
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    async def _read(self, connection: LeaderConnection) -> FromCoordinator:
        """Wait for the next message, at most ``answer_s``: a leader that is frozen is left.

        Raises:
            PeerSilent: none has come.

        """
        try:
            async with asyncio.timeout(self._limits.answer_s):
                return await connection.read()
        except TimeoutError as error:
            raise PeerSilent(
                f"no answer within {self._limits.answer_s:g} s (HOTSWAP_ANSWER_S)"
            ) from error

    async def _ask(self, request: Message, kind: type[_Answer]) -> _Answer:
        """Send a request and wait for the answer to it, over what else arrives meanwhile.

        A request is never sent twice: after a lost connection nobody knows whether it arrived.
        """
        connection = await self._connect()
        connection.write(request)
        try:
            async with asyncio.timeout(self._limits.answer_s):
                while True:
                    answer = await connection.read()
                    if isinstance(answer, kind):
                        return answer
                    if isinstance(answer, Refused):
                        raise refusal(answer)
        except (WireError, TimeoutError) as error:
            self._drop()
            raise CoordinatorUnreachable(
                f"the leader of job {self._caller.job} did not answer within "
                f"{self._limits.answer_s:g} s ({str(error) or 'no answer'}): ask again, "
                f"`hotswap status --job {self._caller.job}` shows whether the request arrived"
            ) from error

    async def _ask_and_look(self, request: Message) -> Status:
        """Send a request that has no answer of its own, and ask for a snapshot behind it.

        Requests are answered in their order: a refusal comes before the snapshot.
        """
        connection = await self._connect()
        connection.write(request)
        return await self._ask(StatusRequest(), Status)

    async def _follow(
        self, accepted: SwapAccepted, on_notice: Callable[[Notice], None]
    ) -> Notice | None:
        try:
            async with asyncio.timeout(self._limits.swap_wait_s):
                while True:
                    try:
                        if self._connection is not None:
                            return await self._listen(self._connection, accepted, on_notice)
                    except WireError:
                        self._drop()
                    # what the next leader said before it was asked has not been heard
                    if await self._is_over(accepted):
                        return None
        except TimeoutError as error:
            raise SwapNotCompleted(
                f"swap {accepted.swap} of rank {accepted.rank} has not ended within "
                f"{self._limits.swap_wait_s:g} s (HOTSWAP_SWAP_WAIT_S); it may still: "
                f"`hotswap status --job {self._caller.job}`, or `hotswap abort` to give it up"
            ) from error

    async def _listen(
        self,
        connection: LeaderConnection,
        accepted: SwapAccepted,
        on_notice: Callable[[Notice], None],
    ) -> Notice:
        """Wait for the notice that ends the swap."""
        while True:
            message = await self._read(connection)
            if not isinstance(message, Notice) or message.rank != accepted.rank:
                continue
            on_notice(message)
            if message.kind == "swap_completed":
                return message
            if message.kind == "swap_aborted":
                raise _given_up(accepted, message.text)

    async def _is_over(self, accepted: SwapAccepted) -> bool:
        """Look how the swap stands after the leader has changed.

        Raises:
            SwapNotCompleted: it is not under way any more, and the rank has its old owner.

        """
        status = await self._ask(StatusRequest(), Status)
        if status.swap == accepted.swap:
            return False
        owner = next((r.member for r in status.ranks if r.rank == accepted.rank), None)
        if owner == accepted.target:
            return True
        raise _given_up(accepted, "the leader changed in between")


def _ignore(notice: Notice) -> None:
    """Do nothing with a notice."""


def _given_up(accepted: SwapAccepted, reason: str) -> SwapNotCompleted:
    return SwapNotCompleted(
        f"swap {accepted.swap} of rank {accepted.rank} was given up, the job is untouched: "
        f"{reason or 'no reason was given'}"
    )
