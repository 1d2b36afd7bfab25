"""Following the files of probes while they are being written."""

from pathlib import Path

import pytest

from benchmarks.peers.probe import DIRECTORY, Probe, steps_wanted, wait_for_slots
from benchmarks.peers.records import Commit, Computed, End, Process, parse
from benchmarks.peers.watch import ProbeFiles


def test_what_a_probe_writes_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DIRECTORY, str(tmp_path))
    with Probe(slot=1) as probe:
        probe.computed(step=3, rank=1, loss=0.1, samples=(4, 5))
        probe.committed(step=3, rank=1, ranks=2)
        probe.finished(digest="ab")
    process, computed, commit, end = ProbeFiles(tmp_path).read_new()
    assert isinstance(process, Process)
    assert isinstance(computed, Computed)
    assert isinstance(commit, Commit)
    assert isinstance(end, End)
    assert process.slot == 1
    assert float.fromhex(computed.loss) == 0.1
    assert computed.samples == (4, 5)
    assert (commit.step, commit.rank, commit.ranks) == (3, 1, 2)
    assert end.digest == "ab"
    assert {computed.pid, commit.pid, end.pid} == {process.pid}
    assert process.monotonic_ns <= computed.monotonic_ns <= commit.monotonic_ns


def test_a_line_goes_out_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DIRECTORY, str(tmp_path))
    files = ProbeFiles(tmp_path)
    with Probe(slot=0) as probe:
        assert len(files.read_new()) == 1
        probe.committed(step=1, rank=0, ranks=2)
        assert len(files.read_new()) == 1
        assert files.read_new() == []
    assert len(files.records) == 2


def test_half_a_line_waits_for_its_other_half(tmp_path: Path) -> None:
    path = tmp_path / "slot0-7.jsonl"
    path.write_text('{"monotonic_ns": 1, "kind": "process", "slot": 0, "pid": 7}\n{"monotonic')
    files = ProbeFiles(tmp_path)
    assert files.read_new() == [Process(monotonic_ns=1, pid=7, slot=0)]
    with path.open("a") as file:
        file.write('_ns": 2, "kind": "end", "digest": "d"}\n')
    assert files.read_new() == [End(monotonic_ns=2, pid=7, digest="d")]


def test_the_records_of_several_processes_come_in_the_order_of_time(tmp_path: Path) -> None:
    for pid, when in ((7, 20), (8, 10)):
        (tmp_path / f"slot0-{pid}.jsonl").write_text(
            f'{{"monotonic_ns": {when}, "kind": "process", "slot": 0, "pid": {pid}}}\n'
        )
    assert [record.pid for record in ProbeFiles(tmp_path).read_new()] == [8, 7]


def test_a_line_that_no_probe_writes_is_refused() -> None:
    with pytest.raises(ValueError, match="'rumour'"):
        parse(['{"monotonic_ns": 1, "kind": "rumour"}'])


def test_a_job_starts_when_every_slot_has_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DIRECTORY, str(tmp_path))
    for name in ("slot0-7.jsonl", "slot1-8.jsonl", "slot1-9.jsonl"):
        (tmp_path / name).touch()
    wait_for_slots(2)
    monkeypatch.setattr("benchmarks.peers.probe.START_LIMIT_S", 0.0)
    with pytest.raises(TimeoutError, match="not all of 3"):
        wait_for_slots(3)


def test_the_number_of_steps_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEERS_STEPS", "7")
    assert steps_wanted() == 7
