"""A job's events come in order, each under its number, and are read again until they are kept."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotswap.coordinator.event_log import FORMER_NAME, NAME
from hotswap.node.agent.event_feed import Batch, Position, read_events, stream_of


def line(number: int, *, token: int = 1, **values: object) -> bytes:
    event = {
        "at": "2026-11-29T12:00:00+00:00",
        "monotonic_s": float(number),
        "leader": "coordinator-0",
        "token": token,
        "kind": "committed",
        "epoch": 1,
        "step": number,
        "values": values,
    }
    return json.dumps(event).encode() + b"\n"


def append(folder: Path, *numbers: int, token: int = 1) -> None:
    with (folder / NAME).open("ab") as file:
        file.write(b"".join(line(number, token=token) for number in numbers))


def rotate(folder: Path) -> None:
    (folder / NAME).replace(folder / FORMER_NAME)


def read(folder: Path, position: Position | None = None, *, notices_max: int = 1_000) -> Batch:
    return read_events(folder, position or Position(), stream="run", notices_max=notices_max)


def steps(batch: Batch) -> list[tuple[int, int | None]]:
    return [(notice.offset, notice.step) for notice in batch.notices]


def test_there_is_nothing_before_the_first_leader_has_spoken(tmp_path: Path) -> None:
    assert read(tmp_path) == Batch(notices=(), after=Position())


def test_what_is_not_kept_is_read_again_and_what_is_kept_is_not(tmp_path: Path) -> None:
    append(tmp_path, 0, 1)
    first = read(tmp_path)
    assert steps(first) == [(0, 0), (1, 1)]
    assert read(tmp_path) == first
    append(tmp_path, 2)
    assert steps(read(tmp_path, first.after)) == [(2, 2)]
    assert first.after.stream == "run"


def test_half_a_line_waits_for_its_other_half(tmp_path: Path) -> None:
    append(tmp_path, 0)
    whole = line(1)
    with (tmp_path / NAME).open("ab") as file:
        file.write(whole[:20])
    first = read(tmp_path)
    assert steps(first) == [(0, 0)]
    with (tmp_path / NAME).open("ab") as file:
        file.write(whole[20:])
    assert steps(read(tmp_path, first.after)) == [(1, 1)]


def test_a_line_that_is_none_has_a_number_and_is_left_out(tmp_path: Path) -> None:
    append(tmp_path, 0)
    with (tmp_path / NAME).open("ab") as file:
        file.write(b'{"at": "2026\n')
    append(tmp_path, 2)
    assert steps(read(tmp_path)) == [(0, 0), (2, 2)]


def test_what_a_leader_says_after_a_later_one_is_left_out(tmp_path: Path) -> None:
    append(tmp_path, 0, token=1)
    append(tmp_path, 1, token=2)
    append(tmp_path, 2, token=1)
    first = read(tmp_path)
    assert steps(first) == [(0, 0), (1, 1)]
    append(tmp_path, 3, token=1)
    append(tmp_path, 4, token=2)
    assert steps(read(tmp_path, first.after)) == [(4, 4)]


def test_a_loss_that_is_no_number_is_unknown(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(line(0, loss=None, step_s=0.5))
    (notice,) = read(tmp_path).notices
    assert notice.values == {"loss": None, "step_s": 0.5}


def test_no_more_is_read_than_there_is_room_for(tmp_path: Path) -> None:
    append(tmp_path, *range(10))
    batch = read(tmp_path, notices_max=4)
    assert [step for _, step in steps(batch)] == [0, 1, 2, 3]
    assert [step for _, step in steps(read(tmp_path, batch.after, notices_max=4))] == [4, 5, 6, 7]


def test_nothing_is_missed_when_the_file_is_full(tmp_path: Path) -> None:
    append(tmp_path, 0, 1)
    first = read(tmp_path, notices_max=1)
    rotate(tmp_path)
    append(tmp_path, 2)
    assert steps(read(tmp_path, first.after)) == [(1, 1), (2, 2)]


def test_lines_that_are_lost_begin_another_numbering(tmp_path: Path) -> None:
    append(tmp_path, 0)
    first = read(tmp_path)
    rotate(tmp_path)
    append(tmp_path, 1)
    rotate(tmp_path)
    append(tmp_path, 2)
    batch = read(tmp_path, first.after)
    assert steps(batch) == [(0, 1), (1, 2)]
    assert batch.after.stream.startswith("run-")


def test_who_begins_with_two_files_can_not_tell_what_was_before_them(tmp_path: Path) -> None:
    append(tmp_path, 0)
    rotate(tmp_path)
    append(tmp_path, 1)
    late = read(tmp_path)
    assert late.after.stream.startswith("run-")
    assert read(tmp_path).after == late.after


@settings(max_examples=60)
@given(
    actions=st.lists(
        st.one_of(
            st.tuples(st.just("append"), st.integers(1, 4)),
            st.tuples(st.just("rotate"), st.just(0)),
            st.tuples(st.just("read"), st.integers(1, 5)),
        ),
        max_size=40,
    )
)
def test_two_readers_number_alike_however_they_read(
    actions: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("events")
    found: dict[int, int | None] = {}
    eager, slow, number = Position(), Position(), 0
    for action, count in [*actions, ("read", 1_000)]:
        if action == "append":
            append(folder, *range(number, number + count))
            number += count
        elif action == "rotate" and (folder / NAME).exists():
            # no reader is ever more than one file behind
            slow = read(folder, slow).after
            rotate(folder)
        eager = collect(folder, eager, 1_000, found)
        if action == "read":
            slow = collect(folder, slow, count, found)
    assert found == {each: each for each in range(number)}


def collect(
    folder: Path, position: Position, notices_max: int, found: dict[int, int | None]
) -> Position:
    batch = read(folder, position, notices_max=notices_max)
    for notice in batch.notices:
        assert found.setdefault(notice.offset, notice.step) == notice.step
    return batch.after


def test_runs_of_one_name_are_streams_of_their_own() -> None:
    assert stream_of(b"1" * 32) != stream_of(b"2" * 32)
    assert stream_of(b"1" * 32) == stream_of(b"1" * 32)
