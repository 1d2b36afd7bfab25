"""Figures over several runs: what is missing stays missing."""

import pytest

from benchmarks.peers.judge import Verdict
from benchmarks.peers.summary import Report, Spread, comparison, figures, spread


def verdict(
    *,
    gap_ms: float | None = 500.0,
    strength_ms: float | None = 700.0,
    steps_lost: int = 0,
    same: bool = True,
) -> Verdict:
    return Verdict(
        step_ms=100.0,
        commit_gap_ms=gap_ms,
        new_step_ms=gap_ms,
        full_strength_ms=strength_ms,
        steps_lost=steps_lost,
        samples_lost=0 if same else 4,
        samples_doubled=0,
        same_losses=same,
        same_state=same,
        finished=True,
    )


def report(name: str, *verdicts: Verdict) -> Report:
    return Report(name=name, configuration="", verdicts=verdicts)


def test_median_and_range() -> None:
    assert spread([3.0, 1.0, 2.0]) == Spread(median=2.0, smallest=1.0, largest=3.0, never=0)


def test_a_run_that_did_not_get_there_counts_as_longer_than_any_other() -> None:
    assert spread([1.0, None, 3.0]) == Spread(median=3.0, smallest=1.0, largest=None, never=1)


def test_most_runs_that_did_not_get_there_leave_no_median() -> None:
    assert spread([1.0, None, None]) == Spread(median=None, smallest=1.0, largest=None, never=2)
    assert spread([1.0, None]) == Spread(median=None, smallest=1.0, largest=None, never=1)


def test_nothing_measured_is_nothing_and_not_zero() -> None:
    assert spread([]) == Spread(median=None, smallest=None, largest=None, never=0)


def test_a_system_that_was_not_run_has_the_same_of_nothing() -> None:
    values = figures(report("absent"))
    assert values["repeats"] == 0
    assert values["commit_gap_ms_p50"] is None
    assert values["samples_lost_max"] is None
    assert values["same_losses"] is False
    assert values["finished"] is False


def test_one_run_that_differs_makes_the_system_differ() -> None:
    assert figures(report("a", verdict(), verdict(same=False)))["same_losses"] is False
    assert figures(report("a", verdict(), verdict()))["same_losses"] is True


def test_every_measure_has_its_unit_and_how_often_it_was_never_reached() -> None:
    values = figures(report("a", verdict(gap_ms=1.0), verdict(gap_ms=None, strength_ms=None)))
    assert values["commit_gap_ms_min"] == 1.0
    assert values["commit_gap_ms_max"] is None
    assert values["full_strength_ms_never"] == 1
    assert values["steps_lost_max"] == 0


def test_what_an_undisturbed_run_showed_is_kept() -> None:
    values = figures(
        Report(name="a", configuration="", verdicts=(verdict(),), undisturbed=verdict(same=False))
    )
    assert values["undisturbed_step_ms"] == 100.0
    assert values["undisturbed_same"] is False


def test_the_best_peer_is_the_one_with_the_smallest_median_and_not_ourselves() -> None:
    result = comparison(
        "ours",
        [
            report("ours", verdict(gap_ms=100.0, strength_ms=100.0)),
            report("slow", verdict(gap_ms=5_000.0, steps_lost=3)),
            report("fast", verdict(gap_ms=500.0, strength_ms=6_000.0, same=False)),
            report("never", verdict(gap_ms=None, strength_ms=None, same=False)),
            report("absent"),
        ],
    )
    assert result["best_peer_commit_gap_ms_p50"] == 500.0
    assert result["best_peer_full_strength_ms_p50"] == 700.0
    assert result["commit_gap_to_best_peer_ratio"] == pytest.approx(0.2)
    assert result["peers_with_same_losses"] == ["slow"]
    assert result["peers_with_same_losses_and_no_step_lost"] == []
    assert result["only_one_with_same_losses"] is False


def test_we_are_the_only_one_if_no_peer_has_the_same_losses_and_we_have() -> None:
    other = report("other", verdict(same=False))
    assert comparison("ours", [report("ours", verdict()), other])["only_one_with_same_losses"]
    ours = report("ours", verdict(same=False))
    assert comparison("ours", [ours, other])["only_one_with_same_losses"] is False
    assert comparison("ours", [other])["only_one_with_same_losses"] is None


def test_without_peers_or_without_ourselves_there_is_no_ratio() -> None:
    assert comparison("ours", [report("ours", verdict())])["commit_gap_to_best_peer_ratio"] is None
    assert comparison("ours", [report("a", verdict())])["commit_gap_to_best_peer_ratio"] is None
    never = comparison("ours", [report("ours", verdict(gap_ms=None)), report("a", verdict())])
    assert never["commit_gap_to_best_peer_ratio"] is None
