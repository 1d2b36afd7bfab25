"""Row d: how many reports of nodes the plane takes in, and how it answers people meanwhile."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import django

from benchmarks.figures import percentile, rounded, spread
from benchmarks.plane_rows.nodes import enrol_nodes
from benchmarks.plane_rows.reporting import report_steadily
from benchmarks.plane_rows.stack import running_stack

if TYPE_CHECKING:
    from benchmarks.plane_rows.stack import Stack

#: Longest wait for the reader to end after its time, s.
READER_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is measured."""

    # nodes, each with an agent
    nodes: int
    # reports that they send in a second, all together
    offered_per_s: float
    # for so long, s
    duration_s: float


FULL: Final = Size(nodes=1_000, offered_per_s=1_050, duration_s=60)
QUICK: Final = Size(nodes=300, offered_per_s=1_050, duration_s=10)


def measure(size: Size) -> dict[str, object]:
    """Report for a while, and read the API meanwhile."""
    # Celery and the relay have nothing to do here, and are not what is measured
    with running_stack(postgres=True, without=("worker", "beat")) as stack:
        django.setup()
        identities = enrol_nodes(
            count=size.nodes, folder=stack.layout.directory / "bench", now=datetime.now(UTC)
        )
        with _reader(stack, size.duration_s) as reader:
            tally, took_s = asyncio.run(
                report_steadily(
                    identities,
                    port=stack.layout.agent_port,
                    authority=stack.layout.authority_dir / "authority-certificate.pem",
                    every_s=size.nodes / size.offered_per_s,
                    duration_s=size.duration_s,
                )
            )
            read_ms = json.loads(reader.communicate(timeout=READER_S)[0])
    return {
        "nodes": size.nodes,
        "offered_per_s": size.offered_per_s,
        "reports_per_s": rounded(tally.accepted / took_s),
        "reports_refused": tally.refused,
        **spread("report_answer_ms", tally.answer_ms),
        "api_reads": len(read_ms),
        "api_read_ms_p50": rounded(percentile(read_ms, 0.5)),
        "api_read_ms_p99": rounded(percentile(read_ms, 0.99)),
    }


def _reader(stack: Stack, duration_s: float) -> subprocess.Popen[bytes]:
    words = ["-m", "benchmarks.plane_rows.reading"]
    words += [str(stack.layout.directory), stack.layout.web_url, str(duration_s)]
    return subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE)
