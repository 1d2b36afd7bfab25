"""Real processes are killed and taken away while a real swap is under way: a part of rows b and f.

The whole of it, each process in each state, and a minute's outage: ``make bench-plane``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from benchmarks.plane_rows.kills import QUICK
from tests.acceptance_plane.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

#: Longest run of a row in its quick form; a busy machine takes many times what a quiet one does, s.
ROW_S: Final = 1800.0

pytestmark = [pytest.mark.timeout(2000), pytest.mark.slow_processes]


def row(letter: str, folder: Path) -> dict[str, Any]:
    """Run a row in a process of its own: it has a database, and Django, of its own."""
    found = folder / "figures.json"
    command = [sys.executable, "benchmarks/plane.py", "--quick", "--rows", letter]
    subprocess.run([*command, "--json", str(found)], cwd=ROOT, check=True, timeout=ROW_S)
    measured: dict[str, Any] = json.loads(found.read_text())[letter]
    return measured


def test_whatever_is_killed_a_swap_completes_or_is_undone(tmp_path: Path) -> None:
    measured = row("b", tmp_path)
    assert [each for each in measured["table"] if each["wrong"]] == []
    assert measured["kills"] == len(QUICK.cases)


def test_a_job_trains_and_swaps_while_the_control_plane_is_away(tmp_path: Path) -> None:
    measured = row("f", tmp_path)
    for outage in ("training", "swap", "broker"):
        assert measured[f"{outage}_steps_per_s_meanwhile"] > 0, outage
    assert (measured["swap_ended"], measured["swap_certified"]) == ("completed", True)
    assert measured["steps_unheard_by_the_plane"] == 0
    assert measured["steps_invented"] == 0
    assert measured["events_unheard_by_the_plane"] == 0
    assert measured["events_doubled"] == 0
    assert measured["audit_verifies"] is True
