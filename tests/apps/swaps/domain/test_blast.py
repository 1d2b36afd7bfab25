"""Limits say what keeps a swap from starting."""

from datetime import UTC, datetime, timedelta

from apps.swaps.domain.blast import (
    Failure,
    Radius,
    UnderWay,
    radius_refusal,
    stop_loss_cause,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_within_the_radius_nothing_is_refused() -> None:
    assert radius_refusal(radius=Radius(), under_way=UnderWay(in_racks={"r1": 0})) is None


def test_each_limit_is_named() -> None:
    def refusal(under_way: UnderWay) -> str | None:
        return radius_refusal(radius=Radius(), under_way=under_way)

    assert refusal(UnderWay(in_job=1, in_racks={})) == (
        "1 swap is under way in this job, which may have 1 at once"
    )
    assert refusal(UnderWay(in_racks={"r1": 0, "r2": 1})) == (
        "1 swap is under way in rack r2, which may have 1 at once"
    )
    assert refusal(UnderWay(in_racks={}, in_tenant=4)) == (
        "4 swaps are under way in this tenant, which may have 4 at once"
    )


def failures(*entries: tuple[int, str]) -> list[Failure]:
    return [Failure(at=NOW - timedelta(minutes=ago), cause=cause) for ago, cause in entries]


def test_three_failures_of_one_cause_within_the_hour_stop_the_rank() -> None:
    three = failures((1, "not_ready"), (20, "not_ready"), (59, "not_ready"))
    assert stop_loss_cause(failures=three, now=NOW) == "not_ready"


def test_old_failures_and_different_ones_do_not() -> None:
    old = failures((1, "not_ready"), (20, "not_ready"), (61, "not_ready"))
    mixed = failures((1, "not_ready"), (2, "not_ready"), (3, "digests_differ"))
    assert stop_loss_cause(failures=old, now=NOW) is None
    assert stop_loss_cause(failures=mixed, now=NOW) is None
