"""Agents that report at a steady rate over TLS, each on a connection of its own."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from hotswap.wire.plane import (
    REPORT_PATH,
    Inventory,
    NodeReport,
    Report,
    Signal,
    encode_plane,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.plane_rows.nodes import Identity

#: Connections that are made at the same time.
CONNECTING_MAX: Final = 20
#: Longest wait for an answer, s; then it counts as refused.
ANSWER_S: Final = 30.0


@dataclass(slots=True, kw_only=True)
class Tally:
    """What became of the reports."""

    accepted: int = 0
    refused: int = 0
    answer_ms: list[float] = field(default_factory=list)


async def report_steadily(
    identities: Sequence[Identity], *, port: int, authority: Path, every_s: float, duration_s: float
) -> tuple[Tally, float]:
    """Have each node report every so often for a while.

    Returns what was answered, and for how long it was reported, s.
    """
    gate = asyncio.Semaphore(CONNECTING_MAX)
    links = await asyncio.gather(
        *(_connect(each, port=port, authority=authority, gate=gate) for each in identities)
    )
    tally = Tally()
    begun_s = time.monotonic()
    await asyncio.gather(
        *(
            _report(
                link,
                name=each.name,
                # spread evenly, as the agents of a fleet are
                begin_s=begun_s + every_s * place / len(identities),
                end_s=begun_s + duration_s,
                every_s=every_s,
                tally=tally,
            )
            for place, (each, link) in enumerate(zip(identities, links, strict=True))
        )
    )
    took_s = time.monotonic() - begun_s
    for _, writer in links:
        writer.close()
    return tally, took_s


async def _connect(
    identity: Identity, *, port: int, authority: Path, gate: asyncio.Semaphore
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    async with gate:
        return await asyncio.open_connection("127.0.0.1", port, ssl=identity.context(authority))


async def _report(
    link: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    *,
    name: str,
    begin_s: float,
    end_s: float,
    every_s: float,
    tally: Tally,
) -> None:
    reader, writer = link
    due_s, sequence = begin_s, 0
    while due_s < end_s:
        await asyncio.sleep(max(0.0, due_s - time.monotonic()))
        sequence += 1
        writer.write(_request(name, sequence))
        sent_s = time.monotonic()
        async with asyncio.timeout(ANSWER_S):
            status = await _status(reader)
        tally.answer_ms.append((time.monotonic() - sent_s) * 1000)
        if status == b"200":
            tally.accepted += 1
        else:
            tally.refused += 1
        due_s += every_s


def _request(name: str, sequence: int) -> bytes:
    """Return a report as it goes over the wire: eight signals, as of one node without trouble."""
    signals = tuple(
        Signal(
            name=f"gpu_{gpu}_temperature",
            value=55.0 + (sequence + gpu) % 7,
            unit="celsius",
            source="simulated",
        )
        for gpu in range(8)
    )
    body = encode_plane(
        Report(
            boot=name,
            sequence=sequence,
            sent_at=datetime.now(UTC).isoformat(),
            node=NodeReport(inventory=Inventory(hostname=name, cpus=8), signals=signals),
            members=(),
        )
    )
    head = f"POST {REPORT_PATH} HTTP/1.1\r\nHost: plane\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def _status(reader: asyncio.StreamReader) -> bytes:
    """Read an answer to its end; return its status."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    length = next(
        int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:")
    )
    await reader.readexactly(length)
    return lines[0].split()[1]
