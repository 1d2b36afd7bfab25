import math
from pathlib import Path

import pytest

from hotswap.coordinator.event_log import NAME, EventLog
from hotswap.limits import Limits
from hotswap.node.event_tail import EventTail, notice_of
from hotswap.wire.messages import Notice


def log(directory: Path, *, token: int = 1, nbytes_max: int = 1 << 20) -> EventLog:
    limits = Limits(events_nbytes_max=nbytes_max)
    return EventLog(directory, leader=f"coordinator-{token}", token=token, limits=limits)


def append(events: EventLog, *steps: int) -> None:
    for step in steps:
        notice = Notice(kind="committed", epoch=1, step=step, values={"loss": 2.5})
        events.append(notice, monotonic_s=step / 10)


def steps(tail: EventTail) -> list[int | None]:
    return [event.step for event in tail.read()]


def test_everything_is_read_once_from_the_beginning(tmp_path: Path) -> None:
    tail, events = EventTail(tmp_path), log(tmp_path)
    assert steps(tail) == []
    append(events, 0, 1)
    assert steps(tail) == [0, 1]
    append(events, 2)
    assert steps(tail) == [2]
    assert steps(tail) == []
    events.close()
    tail.close()


def test_a_loss_that_is_no_number_is_told_and_stays_none(tmp_path: Path) -> None:
    """JSON has no NaN: what is null in the file is no reason to pass the step over."""
    tail, events = EventTail(tmp_path), log(tmp_path)
    notice = Notice(kind="committed", epoch=1, step=0, values={"loss": math.nan, "samples": 8.0})
    events.append(notice, monotonic_s=0.0)
    append(events, 1)
    first, second = map(notice_of, tail.read())
    assert (first.step, second.step) == (0, 1)
    assert math.isnan(first.values["loss"])
    assert first.values["samples"] == 8.0
    events.close()
    tail.close()


def test_the_next_leader_is_read_where_the_last_one_stopped(tmp_path: Path) -> None:
    tail, first, second = EventTail(tmp_path), log(tmp_path), log(tmp_path, token=2)
    append(first, 0)
    append(second, 1)
    assert steps(tail) == [0, 1]
    append(first, 99)  # it was frozen, and does not know yet
    append(second, 2)
    assert steps(tail) == [2]
    for each in (first, second, tail):
        each.close()


@pytest.mark.parametrize("calls", [1, 7])
def test_a_file_that_is_full_is_followed_by_the_next(tmp_path: Path, calls: int) -> None:
    tail, events = EventTail(tmp_path), log(tmp_path, nbytes_max=4096)
    seen = steps(tail)
    for call in range(calls):
        append(events, *range(len(seen), len(seen) + 10))
        seen += steps(tail)
        assert len(seen) == 10 * (call + 1)
    assert seen == list(range(10 * calls))
    events.close()
    tail.close()


def test_a_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    events, tail = log(tmp_path), EventTail(tmp_path)
    append(events, 0)
    events.close()
    path = tmp_path / NAME
    line = path.read_bytes()
    path.write_bytes(line[:-20])
    assert steps(tail) == []
    with path.open("ab") as file:
        file.write(line[-20:])
    assert steps(tail) == [0]
    tail.close()


def test_what_is_no_event_is_passed_over(tmp_path: Path) -> None:
    events, tail = log(tmp_path), EventTail(tmp_path)
    (tmp_path / NAME).write_bytes(b'{"kind":"comm\nnonsense\n')
    append(events, 5)
    assert steps(tail) == [5]
    events.close()
    tail.close()
