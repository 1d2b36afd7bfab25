"""A rank of a live job changes hands, on plan, and the job does not notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.lab.job import Job

pytestmark = [pytest.mark.slow_processes, pytest.mark.timeout(240)]

STEPS = 40


@pytest.mark.parametrize(("mode", "ranks"), [("fsdp2", 2), ("hsdp", 4), ("ddp", 3)])
def test_a_planned_swap_changes_no_bit(tmp_path: Path, mode: str, ranks: int) -> None:
    """Losses of every step and the final state of every rank equal those of the undisturbed run."""
    arguments = ["--mode", mode, "--steps", str(STEPS)]
    with Job(ranks=ranks, standbys=0, arguments=arguments, folder=tmp_path / "twin") as twin:
        undisturbed = twin.end()
    with Job(ranks=ranks, arguments=arguments, folder=tmp_path / "job") as job:
        job.wait_protected()
        job.swap(ranks - 1)
        swapped = job.end()
    assert undisturbed.code == swapped.code == 0
    assert len(swapped.losses) == ranks * STEPS
    assert swapped.same_as(undisturbed), job.story()
