"""Ids sort by time and never meet."""

from apps.core import clock
from apps.core.ids import new_id


def test_ids_are_version_7() -> None:
    made = new_id()
    assert (made.version, made.variant) == (7, "specified in RFC 4122")


def test_no_two_ids_are_equal() -> None:
    assert len({new_id() for _ in range(1000)}) == 1000


def test_ids_sort_by_when_they_were_made_within_a_millisecond_too() -> None:
    made = [new_id() for _ in range(5000)]
    assert made == sorted(made)
    assert len({one.int >> 80 for one in made}) < 5000


def test_an_id_holds_the_time() -> None:
    before = clock.now()
    at_ms = new_id().int >> 80
    assert 0 <= at_ms - int(before.timestamp() * 1000) < 10_000
