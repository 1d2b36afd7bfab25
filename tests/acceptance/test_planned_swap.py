"""A rank of a live job changes hands, on plan, and the job does not notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.lab.job import Job, Outcome
from tests.acceptance.conftest import PATIENT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.slow_processes, pytest.mark.timeout(900)]

STEPS = 60
#: Slow enough that the job is not over before it was disturbed, however busy the machine is, s.
PACE_S = 1.0


# The standby has built the last rank's model; for another one it runs the script once more.
@pytest.mark.parametrize(
    ("mode", "ranks", "rank"), [("fsdp2", 2, 1), ("hsdp", 4, 0), ("ddp", 3, 2)]
)
def test_a_planned_swap_changes_no_bit(
    tmp_path: Path, twin_of: Callable[[int, list[str]], Outcome], mode: str, ranks: int, rank: int
) -> None:
    """Losses of every step and the final state of every rank equal those of the undisturbed run."""
    arguments = ["--mode", mode, "--steps", str(STEPS)]
    undisturbed = twin_of(ranks, arguments)
    with Job(
        ranks=ranks, arguments=arguments, folder=tmp_path, pace_s=PACE_S, environment=PATIENT
    ) as job:
        job.wait_protected()
        job.wait_status(lambda status: status.ranks[-1].prepared == ("standby-0",))
        swap = job.swap(rank)
        swapped = job.end()
        assert swapped.code == 0, job.story()
        assert len(swapped.losses) == ranks * STEPS
        assert swapped.same_as(undisturbed), f"{swap}\n{job.story()}"
        assert job.command("ledger").returncode == 0
        (certificate,) = job.directory.certificates.glob("*.json")
        name = certificate.stem.removeprefix("swap-")
        shown = job.command("certificate", "--swap", name)
        assert "equal" in shown.stdout
