"""One job, three kinds of reader: a terminal, a file, a program."""

import io
import json
import os
import shutil

import pytest

from hotswap.node.terminal import JsonLines, LivingLine, Moment, PlainLines, Said, choose
from hotswap.node.view import JobView
from hotswap.wire.messages import Notice

LOST = Notice(kind="member_lost", epoch=1, member="node-1", rank=1, text="killed by signal 9")


STARTED = Said(kind="process_started", member="node-0", values={"pid": 17.0})
AT = Moment(unix_s=12.5, monotonic_s=2.5)


def view(step: int) -> JobView:
    return JobView(world_size=1, committed=step)


class Clock:
    """A clock that is moved by hand."""

    now = 0.0

    def __call__(self) -> Moment:
        return Moment(unix_s=1e9 + self.now, monotonic_s=self.now)


class Pipe(io.StringIO):
    """A pipe that nobody reads any more."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(text)


def test_a_terminal_keeps_the_job_in_its_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((30, 24)))
    stream = io.StringIO()
    display = LivingLine(stream)
    display.refresh(view(1))
    display.refresh(view(1))  # nothing new: nothing written
    display.notice(LOST, view(2), AT)
    display.close()
    assert stream.getvalue().split("\r\x1b[2K") == [
        "",
        "step 1 · loss unknown · step…",
        "node-1 is lost: killed by signal 9\n",
        "step 1 · loss unknown · step…",
        "step 2 · loss unknown · step…\n",
    ]


def test_a_file_gets_events_at_once_and_progress_at_a_bounded_rate() -> None:
    stream, clock = io.StringIO(), Clock()
    display = PlainLines(stream, every_s=5.0, now=clock)
    for step in range(1, 101):
        clock.now = step / 10
        display.notice(Notice(kind="committed", epoch=1, step=step - 1), view(step), AT)
    display.notice(LOST, view(100), AT)
    lines = stream.getvalue().splitlines()
    assert [line.split(" · ")[0] for line in lines] == [
        "step 1",
        "step 51",
        "node-1 is lost: killed by signal 9",
    ]


@pytest.mark.parametrize("kind", ["terminal", "file"])
def test_people_are_spared_what_is_for_programs_alone(kind: str) -> None:
    stream = io.StringIO()
    file = PlainLines(stream, every_s=1.0, now=Clock())
    display = LivingLine(stream) if kind == "terminal" else file
    display.say(STARTED)
    assert stream.getvalue() == ""
    display.say(Said(kind="process_exited", text="node-0 ended", member="node-0"))
    assert "node-0 ended" in stream.getvalue()


def test_a_file_gets_no_progress_before_there_is_any() -> None:
    stream = io.StringIO()
    PlainLines(stream, every_s=0.0, now=Clock()).refresh(JobView(world_size=1))
    assert stream.getvalue() == ""


def test_a_program_gets_one_object_per_notice_with_every_key_always_there() -> None:
    stream = io.StringIO()
    display = JsonLines(stream, now=Clock())
    display.notice(LOST, view(1), AT)
    display.notice(
        Notice(kind="elected", epoch=0, values={"election_ms": float("nan")}), view(1), AT
    )
    display.refresh(view(2))
    display.say(STARTED)
    objects = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert objects[0] == {
        "at_unix_s": 12.5,
        "at_monotonic_s": 2.5,
        "kind": "member_lost",
        "epoch": 1,
        "step": None,
        "rank": 1,
        "member": "node-1",
        "text": "killed by signal 9",
        "values": {},
    }
    assert objects[1]["epoch"] is None
    assert objects[1]["values"] == {"election_ms": None}
    assert objects[2]["kind"] == "process_started"
    assert objects[2]["values"] == {"pid": 17.0}
    assert {tuple(each) for each in objects} == {tuple(objects[0])}


@pytest.mark.parametrize("json", [True, False])
def test_a_reader_that_goes_away_does_not_stop_the_job(*, json: bool) -> None:
    display = choose(Pipe(), json=json, every_s=1.0, now=Clock())
    display.notice(LOST, view(1), AT)
    display.say(STARTED)
    display.close()


def test_the_display_fits_the_stream() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def kind(stream: io.StringIO, *, json: bool) -> type:
        return type(choose(stream, json=json, every_s=1.0, now=Clock()))

    assert kind(Terminal(), json=False) is LivingLine
    assert kind(io.StringIO(), json=False) is PlainLines
    assert kind(Terminal(), json=True) is JsonLines
