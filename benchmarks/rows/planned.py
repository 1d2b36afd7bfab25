"""Rows a and f: planned swaps, and what many of them leave behind."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.figures import every, percentile, rounded, slope
from benchmarks.lab import attempts as written
from benchmarks.lab.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

#: After a swap, for the epoch that ended in good order to be freed (`linger_s`), s.
FREED_S = 1.5

Case = tuple[str, int, int]
FULL: Sequence[Case] = (
    ("fsdp2", 2, 5),
    ("fsdp2", 8, 2),
    ("hsdp", 4, 5),
    ("ddp", 2, 4),
    ("ddp", 3, 4),
)
QUICK: Sequence[Case] = (("fsdp2", 2, 2),)


def measure(cases: Sequence[Case]) -> dict[str, object]:
    """Swap ranks of one job per case: mode, ranks, swaps."""
    figures: dict[str, object] = {}
    pauses: list[float | None] = []
    gaps: list[float | None] = []
    verdicts: list[bool | None] = []
    for mode, ranks, swaps in cases:
        case_pauses, case_gaps, identical = _case(mode, ranks, swaps)
        name = f"{mode}_{ranks}_ranks"
        figures |= {
            f"{name}_pause_ms_p50": rounded(percentile(case_pauses, 0.5)),
            f"{name}_pause_ms_max": rounded(percentile(case_pauses, 1)),
            f"{name}_commit_gap_ms_max": rounded(percentile(case_gaps, 1)),
            f"{name}_bit_identical": identical,
        }
        pauses += case_pauses
        gaps += case_gaps
        verdicts.append(identical)
    return {
        "swaps": len(pauses),
        "pause_ms_p50": rounded(percentile(pauses, 0.5)),
        "pause_ms_max": rounded(percentile(pauses, 1)),
        "commit_gap_ms_p50": rounded(percentile(gaps, 0.5)),
        "commit_gap_ms_max": rounded(percentile(gaps, 1)),
        "bit_identical": every(verdicts),
        **figures,
    }


def _case(mode: str, ranks: int, swaps: int) -> tuple[list[float | None], list[float | None], bool]:
    """Return pauses and commit gaps, ms, and whether the run was its twin's equal."""
    pauses: list[float | None] = []
    windows: list[tuple[float, float]] = []
    with Session(mode=mode, ranks=ranks) as session:
        for number in range(swaps):
            session.protected()
            begun_s = time.monotonic()
            pauses.append(session.swap(number % ranks).get("pause_ms"))
            session.after(5)
            windows.append((begun_s, time.monotonic()))
        ended = session.end()
    moments = written.commits(ended.attempts)
    gaps = [written.commit_gap_ms(moments, window=window) for window in windows]
    return pauses, gaps, ended.bit_identical


def measure_flatness(swaps: int) -> dict[str, object]:
    """Swap one rank again and again; look at the process of the other, which stays."""
    seen: dict[str, list[float]] = {"descriptors": [], "threads": [], "resident_kib": []}
    with Session(ranks=2) as session:
        session.protected()
        process = Path("/proc") / str(session.job.pids()[session.owner(0)])
        for _ in range(swaps):
            session.swap(1)
            session.protected()
            time.sleep(FREED_S)
            for name, value in usage(process).items():
                seen[name].append(value)
        ended = session.end()
    figures: dict[str, object] = {"swaps": swaps, "bit_identical": ended.bit_identical}
    for name, values in seen.items():
        figures |= {
            f"{name}_first": values[0],
            f"{name}_last": values[-1],
            f"{name}_per_swap": rounded(slope(values)),
            # the first swaps fill caches of the allocator and of torch
            f"{name}_per_swap_second_half": rounded(slope(values[len(values) // 2 :])),
        }
    return figures


def usage(process: Path) -> dict[str, float]:
    """Read what a process holds: open descriptors, threads, resident memory in KiB."""
    lines = (process / "status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in lines if ":" in line)
    return {
        "descriptors": float(len(list((process / "fd").iterdir()))),
        "threads": float(status["Threads"]),
        "resident_kib": float(status["VmRSS"].split()[0]),
    }
