"""Percentiles, slopes and bars: what is unknown is neither zero nor met."""

import json
import random
from pathlib import Path

import pytest

from benchmarks.figures import BARS, Bar, every, percentile, render, slope, spread, write


def test_a_percentile_is_a_value_that_was_measured() -> None:
    values = [float(value) for value in range(1, 51)]
    random.Random(3).shuffle(values)
    assert percentile(values, 0.5) == 25
    assert percentile(values, 0.99) == 50
    assert percentile(values, 1.0) == 50
    assert percentile([7.0], 0.5) == 7


def test_what_never_came_is_larger_than_all_that_came() -> None:
    assert percentile([1.0, None, 2.0], 0.5) == 2
    assert percentile([1.0, None, 2.0], 1.0) is None
    assert percentile([], 0.5) is None
    assert spread("gap_ms", [None]) == {"gap_ms_p50": None, "gap_ms_p99": None, "gap_ms_max": None}


def test_a_slope_is_the_change_per_place() -> None:
    assert slope([3.0, 5.0, 7.0, 9.0]) == pytest.approx(2)
    assert slope([4.0, 4.0, 4.0]) == 0
    assert slope([1.0]) is None


def test_one_unknown_verdict_leaves_the_whole_unknown_unless_one_is_false() -> None:
    assert every([True, True]) is True
    assert every([True, None]) is None
    assert every([None, False]) is False
    assert every([]) is None


@pytest.mark.parametrize(
    ("limit", "value", "verdict"),
    [
        (20, 20.0, True),
        (20, 20.1, False),
        (20, None, None),
        (0, 0, True),
        (True, True, True),
        (True, False, False),
        (True, None, None),
        (False, True, False),
    ],
)
def test_a_bar_is_met_missed_or_unknown(
    *, limit: float | bool, value: object, verdict: bool | None
) -> None:
    assert Bar(row="a", measure="x", limit=limit).meets(value) is verdict


def test_a_missed_bar_stands_out_and_a_missing_figure_says_so() -> None:
    lines = render({"a": {"pause_ms_p50": 21.0, "pause_ms_max": 99.0, "bit_identical": None}})
    first, second, third = lines.splitlines()
    assert first.endswith("bar <= 20: MISSED")
    assert second.endswith("bar <= 100: met")
    assert "not measured" in third
    assert third.endswith("unknown")


def test_no_figure_has_two_bars() -> None:
    assert len({(bar.row, bar.measure) for bar in BARS}) == len(BARS)


def test_the_file_holds_one_object_by_row(tmp_path: Path) -> None:
    write(tmp_path / "figures.json", {"a": {"pause_ms_p50": 3.1}})
    assert json.loads((tmp_path / "figures.json").read_text()) == {"a": {"pause_ms_p50": 3.1}}
    write(None, {"a": {}})
