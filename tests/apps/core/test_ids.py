"""Ids sort by time and never meet."""

from apps.core.ids import new_id


def test_ids_are_version_7() -> None:
    made = new_id()
    assert (made.version, made.variant) == (7, "specified in RFC 4122")


def test_no_two_ids_are_equal() -> None:
    assert len({new_id() for _ in range(1000)}) == 1000


def test_ids_of_different_milliseconds_sort_by_time() -> None:
    made = [new_id() for _ in range(2000)]
    times = [one.int >> 80 for one in made]
    assert times == sorted(times)
