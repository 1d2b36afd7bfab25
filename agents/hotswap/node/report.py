"""What a command that ends at once prints: text for people, one JSON object for programs."""

from collections.abc import Iterable, Sequence
from typing import TextIO

import msgspec

from hotswap.node.evidence import Check
from hotswap.node.progress import UNKNOWN
from hotswap.node.run_record import JobSummary
from hotswap.wire.messages import RankStatus, Status


def write_json(stream: TextIO, value: object) -> None:
    """Write one JSON object, or one array, on one line."""
    stream.write(msgspec.json.encode(value).decode() + "\n")


def write_lines(stream: TextIO, lines: Iterable[str]) -> None:
    """Write lines of text."""
    stream.writelines(f"{line}\n" for line in lines)


def table(header: Sequence[str], rows: Iterable[Sequence[object | None]]) -> list[str]:
    """Align columns; None reads "unknown"."""
    cells = [list(header), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]


def status_lines(status: Status) -> list[str]:
    """Render a snapshot of a job."""
    position = "no epoch yet"
    if status.epoch > 0:
        position = f"epoch {status.epoch}, {status.committed} steps committed"
    elected = UNKNOWN if status.election_s is None else f"{status.election_s * 1000:.0f} ms"
    if status.token <= 1:
        elected = "none needed so far"
    lines = [
        f"job {status.job}: {status.phase.replace('_', ' ')}, {position}",
        f"leader {status.leader or UNKNOWN} (election: {elected})",
        f"standbys {', '.join(status.standbys) or 'none'}",
    ]
    if status.swap is not None:
        lines.append(f"swap {status.swap}: {(status.swap_phase or UNKNOWN).replace('_', ' ')}")
    rows = [
        (
            rank.rank,
            rank.member,
            rank.committed,
            rank.protection.replace("_", " "),
            rank.lag_steps,
            ", ".join(_mirrors(rank)) or "none",
        )
        for rank in status.ranks
    ]
    return [*lines, "", *table(("RANK", "OWNER", "STEPS", "PROTECTION", "LAG", "MIRRORS"), rows)]


def _mirrors(rank: RankStatus) -> list[str]:
    """Name a rank's mirrors, and say which of them could take it over soonest."""
    return [f"{name} (model built)" if name in rank.prepared else name for name in rank.mirrors]


def job_lines(jobs: Sequence[JobSummary]) -> list[str]:
    """Render the list of jobs."""
    if not jobs:
        return ["no jobs yet: `hotswap run --ranks 4 --standbys 1 SCRIPT` starts one"]
    rows = [
        (job.job, job.state, job.ranks, job.standbys, job.committed, job.script) for job in jobs
    ]
    return table(("JOB", "STATE", "RANKS", "STANDBYS", "STEPS", "SCRIPT"), rows)


def check_lines(checks: Iterable[Check]) -> list[str]:
    """Render checks, the verdict first."""
    marks = {"ok": "ok     ", "failed": "FAILED ", "unknown": "unknown"}
    return [
        f"  {marks[check.verdict]}  {check.question}"
        + (f": {check.detail}" if check.detail else "")
        for check in checks
    ]


def _cell(value: object | None) -> str:
    return UNKNOWN if value is None else str(value)
