"""Reports of the ranks become one notice a step."""

from hotswap.coordinator.core.progress import Progress
from hotswap.wire.messages import Committed


def report(
    rank: int, step: int, *, loss: float | None = None, step_s: float | None = None
) -> Committed:
    return Committed(epoch=1, rank=rank, step=step, loss=loss, step_s=step_s, samples=4)


def test_a_step_is_told_once_every_rank_has_reported_it() -> None:
    progress = Progress()
    assert progress.add(report(0, 0, loss=1.0, step_s=0.5), world_size=2) == []
    (notice,) = progress.add(report(1, 0, loss=2.0, step_s=0.7), world_size=2)
    assert notice.step == 0
    assert notice.values == {"loss": 1.5, "step_s": 0.7, "samples": 8.0, "ranks": 2.0}


def test_a_step_that_a_lost_owner_and_its_successor_report_counts_once() -> None:
    progress = Progress()
    progress.add(report(1, 0, loss=2.0), world_size=2)
    assert progress.add(report(1, 0, loss=2.0), world_size=2) == []
    (notice,) = progress.add(report(0, 0, loss=1.0), world_size=2)
    assert notice.values["samples"] == 8.0
    assert notice.values["loss"] == 1.5


def test_a_step_time_that_nobody_measured_is_not_told() -> None:
    (notice,) = Progress().add(report(0, 0, loss=1.0), world_size=1)
    assert "step_s" not in notice.values


def test_a_step_that_a_rank_never_reports_is_told_with_the_next_one() -> None:
    progress = Progress()
    progress.add(report(0, 0, loss=1.0), world_size=2)
    progress.add(report(0, 1, loss=1.0), world_size=2)
    first, second = progress.add(report(1, 1, loss=3.0), world_size=2)
    assert (first.step, first.values["ranks"]) == (0, 1.0)
    assert (second.step, second.values["ranks"]) == (1, 2.0)


def test_after_a_restore_the_steps_are_told_anew() -> None:
    progress = Progress()
    progress.add(report(0, 5), world_size=1)
    assert progress.add(report(0, 3), world_size=1) == []
    progress.go_back(3)
    (notice,) = progress.add(report(0, 3), world_size=1)
    assert notice.step == 3
