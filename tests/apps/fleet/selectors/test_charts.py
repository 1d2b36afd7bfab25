from datetime import timedelta

import pytest

from apps.fleet.domain.signals import Source
from apps.fleet.limits import SAMPLES_KEPT_S
from apps.fleet.selectors.charts import Window, lines_get
from tests.apps.fleet.making import NOW, at, ingest, node, report, signal

pytestmark = pytest.mark.django_db


def test_a_signal_is_a_line_with_its_thresholds() -> None:
    n1 = node()
    for second in (0, 5):
        ingest(report(n1, sequence=second + 1, second=second), second=second)
    (line,) = lines_get(node_id=n1.id, window=Window.ending(now=at(5)))
    assert (line.name, line.unit, line.source) == ("temperature_0_cpu", "celsius", Source.MEASURED)
    assert line.rule is not None
    assert (line.rule.medium, line.rule.high, line.rule.critical) == (90, 100, 110)
    assert [(point.at, point.value) for point in line.points] == [(NOW, 40), (at(5), 40)]


def test_time_without_reports_is_a_gap() -> None:
    n1 = node()
    for second in (0, 60):
        ingest(report(n1, sequence=second + 1, second=second), second=second)
    (line,) = lines_get(node_id=n1.id, window=Window.ending(now=at(60)))
    assert [point.value for point in line.points] == [40, None, 40]


def test_a_value_that_could_not_be_read_is_a_gap() -> None:
    n1 = node()
    for second, value in enumerate((40, None, 41)):
        ingest(report(n1, signal(value=value), sequence=second + 1, second=second), second=second)
    (line,) = lines_get(node_id=n1.id, window=Window.ending(now=at(3)))
    assert [point.value for point in line.points] == [40, None, 41]


def test_a_signal_that_a_report_lacks_is_a_gap_in_its_line_alone() -> None:
    n1 = node()
    ingest(report(n1, signal("temperature_0_cpu"), signal("cpu_load", 2)))
    ingest(report(n1, signal("cpu_load", 3), sequence=2, second=5), second=5)
    load, temperature = lines_get(node_id=n1.id, window=Window.ending(now=at(5)))
    assert [point.value for point in load.points] == [2, 3]
    assert [point.value for point in temperature.points] == [40, None]
    assert load.rule is None


def test_a_counter_is_drawn_as_its_increase_per_minute() -> None:
    n1 = node()
    for sequence, value in enumerate((7, 67)):
        ingest(
            report(n1, signal("nic_errors", value), sequence=sequence, second=60 * sequence),
            second=60 * sequence,
        )
    (line,) = lines_get(node_id=n1.id, window=Window.ending(now=at(60)), gap_s=90)
    assert line.unit == "1/min"
    assert [point.value for point in line.points] == [None, 60]


def test_simulated_signals_are_marked_and_the_others_are_not() -> None:
    n1 = node()
    ingest(report(n1, signal("cpu_load"), signal("nic_errors", 1, Source.SIMULATED)))
    load, errors = lines_get(node_id=n1.id, window=Window.ending(now=NOW))
    assert (load.source, errors.source) == (Source.MEASURED, Source.SIMULATED)


def test_only_what_is_asked_for_is_drawn() -> None:
    n1 = node()
    for second in (0, 5, 10):
        ingest(report(n1, sequence=second + 1, second=second), second=second)
    window = Window.ending(now=at(10), start=at(1), end=at(9))
    (line,) = lines_get(node_id=n1.id, window=window)
    assert [point.at for point in line.points] == [at(5)]


def test_a_window_lies_within_what_is_kept() -> None:
    window = Window.ending(now=NOW, start=NOW - timedelta(days=9), end=NOW + timedelta(days=9))
    assert window == Window(start=NOW - timedelta(seconds=SAMPLES_KEPT_S), end=NOW)


def test_a_window_without_a_start_shows_the_last_quarter_of_an_hour() -> None:
    assert Window.ending(now=NOW) == Window(start=NOW - timedelta(minutes=15), end=NOW)


def test_a_node_without_samples_has_no_lines() -> None:
    assert lines_get(node_id=node().id, window=Window.ending(now=NOW)) == ()
