"""Finding the leader of a job and talking to it, as operator or supervisor."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hotswap.channel.addresses import Address, known_addresses, parse_address
from hotswap.channel.handshake import prove_client_async
from hotswap.channel.streams import StreamFrames, message_frame
from hotswap.errors import (
    BadFrame,
    CoordinatorUnreachable,
    RequestRefused,
    UnknownMessage,
    WireError,
)
from hotswap.limits import Limits
from hotswap.wire.codec import decode_from_coordinator
from hotswap.wire.messages import (
    PROTOCOL_VERSION,
    FromCoordinator,
    Hello,
    Message,
    Refused,
    Welcome,
)

#: Times that a coordinator's word on who leads is followed in one attempt.
REDIRECTS_MAX = 3

#: Coordinators of which a failed attempt says why.
REASONS_MAX = 4

#: Refusal of a coordinator that does not lead.
NOT_LEADER = "not_leader"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who talks to the coordinators of which job."""

    job: str
    # directory of the job: where the coordinators say where they listen
    directory: Path
    key: bytes
    role: Literal["supervisor", "operator"]
    # unique in the job
    name: str

    def hello(self, token: int) -> Hello:
        """Give the first message on a connection; ``token`` is the highest seen."""
        return Hello(
            protocol=PROTOCOL_VERSION,
            job=self.job,
            role=self.role,
            name=self.name,
            pid=os.getpid(),
            token=token,
        )


class LeaderConnection:
    """An authenticated connection to the coordinator that leads."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        limits: Limits,
    ) -> None:
        """Take over a connected pair of streams."""
        self._reader = reader
        self._writer = writer
        self._frames = StreamFrames(reader, payload_nbytes_max=limits.control_frame_nbytes_max)
        self._limits = limits

    @property
    def ended(self) -> bool:
        """Whether the leader has closed the connection, and all it said was read."""
        return self._reader.at_eof() or self._reader.exception() is not None

    def write(self, message: Message) -> None:
        """Send one message, as soon as the leader takes it; what is wrong shows in ``read``."""
        self._writer.write(message_frame(message, limits=self._limits))

    async def read(self) -> FromCoordinator:
        """Wait for the next message that this version understands.

        Raises:
            ConnectionLost, BadFrame, UnknownProtocolVersion: the connection is of no use.

        """
        while True:
            try:
                return decode_from_coordinator(await self._frames.read())
            except UnknownMessage:
                continue  # of a later version: what it adds is not for this one

    def close(self) -> None:
        """Close the connection, without waiting."""
        self._writer.close()


async def find_leader(
    caller: Caller, *, limits: Limits, token: int = 0
) -> tuple[LeaderConnection, Welcome]:
    """Connect to the leader; look for one for at most ``find_leader_s``.

    Args:
        caller: who connects, to which job.
        limits: see `Limits`.
        token: highest fencing token seen; a leader with a lower one is stale and is not taken.

    Raises:
        CoordinatorUnreachable: no leader was found; the message says what happened last.
        RequestRefused: the leader refuses this caller.

    """
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + limits.find_leader_s
    while True:
        found = await try_leader(caller, limits=limits, token=token)
        if not isinstance(found, str):
            return found
        if loop.time() + limits.reconnect_s >= deadline_s:
            raise CoordinatorUnreachable(
                f"no coordinator of job {caller.job} leads (tried for {limits.find_leader_s:g} s; "
                f"{found}): `hotswap jobs` shows whether the job still runs"
            )
        await asyncio.sleep(limits.reconnect_s)


async def try_leader(
    caller: Caller, *, limits: Limits, token: int = 0
) -> tuple[LeaderConnection, Welcome] | str:
    """Try every coordinator that is known, once; give the leader, or why there is none.

    Raises:
        RequestRefused: the leader refuses this caller.

    """
    addresses = list(known_addresses(caller.directory))
    why: list[str] = []
    redirects = 0
    while addresses:
        address = addresses.pop(0)
        try:
            connection, answer = await _greet(address, caller, limits=limits, token=token)
        except (WireError, OSError) as error:  # TimeoutError is an OSError
            why.append(f"{address} {_failure(error)}")
            continue
        if isinstance(answer, Welcome) and answer.token >= token:
            return connection, answer
        connection.close()
        if isinstance(answer, Welcome):
            why.append(f"{address} leads no more, without knowing it")
        elif answer.code != NOT_LEADER:
            raise refusal(answer)
        else:
            why.append(f"{address} does not lead")
            if answer.leader and redirects < REDIRECTS_MAX:
                redirects += 1
                addresses.insert(0, parse_address(answer.leader))
    return ", ".join(why[-REASONS_MAX:]) or "none has said yet where it listens"


def _failure(error: WireError | OSError) -> str:
    """Say in a few words why a coordinator could not be asked."""
    if isinstance(error, ConnectionRefusedError):
        return "does not listen any more"
    if isinstance(error, TimeoutError):
        return "does not answer"
    return f"failed ({error})"


def refusal(refused: Refused) -> RequestRefused:
    """Give the error that a refusal is."""
    return RequestRefused(f"{refused.detail} ({refused.code})", refusal=refused.code)


async def _greet(
    address: Address, caller: Caller, *, limits: Limits, token: int
) -> tuple[LeaderConnection, Welcome | Refused]:
    """Connect to one coordinator, prove who calls, and hear whether it leads."""
    async with asyncio.timeout(limits.connect_s):
        reader, writer = await asyncio.open_connection(*address)
    connection = LeaderConnection(reader, writer, limits=limits)
    try:
        await prove_client_async(
            reader,
            writer,
            key=caller.key,
            purpose="control",
            name=caller.name,
            timeout_s=limits.handshake_s,
        )
        connection.write(caller.hello(token))
        async with asyncio.timeout(limits.answer_s):
            answer = await connection.read()
    except BaseException:
        # Broad on purpose: whatever ends the greeting, the socket must not be left open.
        connection.close()
        raise
    if isinstance(answer, Welcome | Refused):
        return connection, answer
    connection.close()
    raise BadFrame(f"{type(answer).__name__} in answer to Hello: close the connection")
