"""Every event is a line of a file; a disk that is full costs lines, not the job."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from hotswap.coordinator.event_log import FORMER_NAME, NAME, Event, EventLog
from hotswap.limits import Limits
from hotswap.wire.messages import Notice

LOST = Notice(kind="member_lost", epoch=3, rank=2, member="node-2", values={"silent_s": 2.0})


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EventLog]:
    with closing(EventLog(tmp_path, leader="coordinator-0", token=4, limits=Limits())) as opened:
        yield opened


def read(path: Path) -> list[Event]:
    return [msgspec.json.decode(line, type=Event) for line in path.read_bytes().splitlines()]


def test_an_event_is_a_line_with_its_time_and_its_leader(log: EventLog, tmp_path: Path) -> None:
    log.append(LOST, monotonic_s=17.5)
    (event,) = read(tmp_path / NAME)
    assert (event.leader, event.token, event.monotonic_s) == ("coordinator-0", 4, 17.5)
    assert (event.kind, event.epoch, event.rank, event.member) == ("member_lost", 3, 2, "node-2")
    assert event.values == {"silent_s": 2.0}
    assert event.at.endswith("+00:00")


def test_the_next_leader_goes_on_with_the_same_file(log: EventLog, tmp_path: Path) -> None:
    log.append(LOST, monotonic_s=1.0)
    with closing(EventLog(tmp_path, leader="b", token=5, limits=Limits())) as successor:
        successor.append(LOST, monotonic_s=2.0)
    assert [event.token for event in read(tmp_path / NAME)] == [4, 5]


def test_a_file_that_outgrows_its_limit_gives_up_its_older_half(tmp_path: Path) -> None:
    limits = replace(Limits(), events_nbytes_max=4096)
    with closing(EventLog(tmp_path, leader="a", token=1, limits=limits)) as log:
        for step in range(200):
            log.append(Notice(kind="committed", epoch=1, step=step), monotonic_s=float(step))
    former, latest = tmp_path / FORMER_NAME, tmp_path / NAME
    assert former.stat().st_size + latest.stat().st_size <= 4096
    steps = [event.step for event in read(former) + read(latest)]
    assert steps == list(range(200 - len(steps), 200))


def test_a_disk_that_cannot_be_written_is_told_once_and_costs_events_alone(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    log = EventLog(missing, leader="a", token=1, limits=Limits())
    with capture_logs() as logs:
        for _ in range(3):
            log.append(LOST, monotonic_s=1.0)
    assert [entry["event"] for entry in logs] == ["events_unwritable"]
    assert log.lost == 3
    missing.mkdir()
    log.append(LOST, monotonic_s=2.0)
    log.close()
    assert [event.monotonic_s for event in read(missing / NAME)] == [2.0]
