"""Undisturbed runs, made once for all tests that compare with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.lab.job import Job, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: Limits of jobs that lose nobody by silence: on a busy machine a process may stand still for
#: seconds.
PATIENT = {"HOTSWAP_LEASE_S": "30", "HOTSWAP_MIRROR_ACK_S": "30"}


@pytest.fixture(scope="session")
def twin_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int, list[str]], Outcome]:
    """Return the outcome of the run in which nothing happens."""
    known: dict[tuple[int, tuple[str, ...]], Outcome] = {}

    def outcome(ranks: int, arguments: list[str]) -> Outcome:
        key = (ranks, tuple(arguments))
        if key not in known:
            folder: Path = tmp_path_factory.mktemp("twin")
            with Job(
                ranks=ranks, standbys=0, arguments=arguments, folder=folder, environment=PATIENT
            ) as job:
                known[key] = job.end()
                assert known[key].code == 0, job.story()
        return known[key]

    return outcome
