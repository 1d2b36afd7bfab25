"""The whole way from a system to its figures, with systems that stand for real ones."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.peers import run
from benchmarks.peers.drive import drive
from benchmarks.peers.judge import Reference
from benchmarks.peers.model import BATCH, sample_ids
from benchmarks.peers.processes import Job
from benchmarks.peers.run import Entry, Extent, compare
from benchmarks.peers.system import Case, Outcome, SystemUnavailable

EXTENT = Extent(steps=30, kill_steps=(5, 8), limit_s=30)

# one process writes what both ranks of an undisturbed run would, so that they are in step
RANKS_IN_ONE = """
import sys, time
from benchmarks.peers.probe import Probe, steps_wanted
batch, left_out = int(sys.argv[1]), int(sys.argv[2])
probes = [Probe(slot=rank) for rank in range(2)]
for step in range(1, steps_wanted() + 1):
    time.sleep(0.02)
    for rank, probe in enumerate(probes):
        first = ((step - 1) * 2 + rank) * batch
        samples = range(first, first + batch)
        if step != left_out:
            probe.computed(step=step, rank=rank, loss=float(step), samples=samples)
    for rank, probe in enumerate(probes):
        probe.committed(step=step, rank=rank, ranks=2)
for probe in probes:
    probe.finished(digest="d")
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub:
    """A system whose ranks only write."""

    name: str
    configuration: str = "stub"
    left_out: int = 0

    def prepare(self) -> None:
        """Need nothing."""

    def run(self, case: Case) -> Outcome:
        with Job(case) as job:
            command = [sys.executable, "-c", RANKS_IN_ONE, str(BATCH), str(self.left_out)]
            job.launch("ranks", command)
            return drive(job)


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """A system that this machine cannot run."""

    name: str = "absent"
    configuration: str = "none"

    def prepare(self) -> None:
        raise SystemUnavailable("no wheel for this Python")

    def run(self, case: Case) -> Outcome:
        raise AssertionError(f"not prepared, yet run: {case}")


@pytest.fixture(autouse=True)
def _reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the undisturbed run be one whose loss is the number of the step."""

    def made(extent: Extent, directory: Path) -> Reference:
        assert directory.is_dir()
        return Reference(
            losses=tuple(
                (float(step).hex(), float(step).hex()) for step in range(1, extent.steps + 1)
            ),
            digest="d",
            sample_ids=lambda step, rank: sample_ids(step=step, rank=rank),
        )

    monkeypatch.setattr(run, "_reference", made)


def figures(result: dict[str, object], name: str) -> dict[str, object]:
    systems = result["systems"]
    assert isinstance(systems, dict)
    values = systems[name]
    assert isinstance(values, dict)
    return values


def test_a_run_without_a_kill_is_kept_apart_from_those_with_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    entry = Entry(system=Stub(name="stub"), repeats=1, undisturbed=True)
    result = compare(extent=EXTENT, entries=[entry], seed=3)
    values = figures(result, "stub")
    assert values["repeats"] == 1
    assert values["undisturbed_same"] is True
    # nobody takes over from the killed rank here
    assert values["finished"] is False
    assert values["full_strength_ms_p50"] is None
    assert values["full_strength_ms_never"] == 1
    assert "stub" in capsys.readouterr().out


def test_a_loss_in_an_undisturbed_run_shows(capsys: pytest.CaptureFixture[str]) -> None:
    entry = Entry(system=Stub(name="stub", left_out=4), repeats=0, undisturbed=True)
    values = figures(compare(extent=EXTENT, entries=[entry], seed=3), "stub")
    assert values["undisturbed_same"] is False
    assert "stub: undisturbed" in capsys.readouterr().err


def test_a_system_that_cannot_run_is_reported_with_its_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    values = figures(
        compare(extent=EXTENT, entries=[Entry(system=Absent(), repeats=2)], seed=3), "absent"
    )
    assert values["repeats"] == 0
    assert values["reasons"] == ["not run: no wheel for this Python"]
    assert "no wheel for this Python" in capsys.readouterr().out
