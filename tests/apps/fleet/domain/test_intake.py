from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.core.ids import new_id
from apps.fleet.domain.intake import (
    SIGNALS_MAX,
    Kept,
    report_advance,
    report_is_news,
    report_late,
)
from apps.fleet.domain.rules import RULE_VERSION, RULES
from apps.fleet.domain.signals import Inventory, Report, SeenDevice, Signal, Source

BOOK = RULES[RULE_VERSION]
START = datetime(2026, 1, 1, tzinfo=UTC)


def signal(name: str, value: float | None, source: Source = Source.MEASURED) -> Signal:
    return Signal(name=name, value=value, unit="count", source=source)


def report(*signals: Signal, **changes: Any) -> Report:
    fields: dict[str, Any] = {
        "node_id": new_id(),
        "boot": "b1",
        "sequence": 1,
        "at": START,
        "signals": signals,
    }
    return Report(**(fields | changes))


def kept(*reports: Report, accelerators: int = 0) -> Kept:
    found: Kept | None = None
    for each in reports:
        found = report_advance(
            previous=found,
            report=each,
            accelerators=accelerators,
            book=BOOK,
            received_at=START + timedelta(hours=1),
        )
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("changes", "is_news"),
    [
        ({"sequence": 6}, True),
        ({"sequence": 5}, False),
        ({"sequence": 4, "at": START + timedelta(seconds=9)}, False),
        ({"boot": "b2", "sequence": 1, "at": START + timedelta(seconds=1)}, True),
        ({"boot": "b0", "sequence": 99, "at": START - timedelta(seconds=1)}, False),
        ({"boot": "b0", "sequence": 99, "at": START}, False),
    ],
)
def test_only_what_comes_later_is_news(changes: dict[str, Any], *, is_news: bool) -> None:
    previous = kept(report(sequence=5))
    assert report_is_news(previous=previous, report=report(**changes)) is is_news


def test_a_first_report_is_news() -> None:
    assert report_is_news(previous=None, report=report())


def test_a_gauge_is_judged_as_it_is_and_a_counter_by_its_increase() -> None:
    first = report(signal("gpu_0_temperature", 61), signal("gpu_0_pcie_replays", 100))
    second = replace(
        first,
        sequence=2,
        at=START + timedelta(seconds=60),
        signals=(signal("gpu_0_temperature", 62), signal("gpu_0_pcie_replays", 140)),
    )
    figures = {each.name: each.figure for each in kept(first, second).readings}
    assert figures == {"gpu_0_temperature": 62, "gpu_0_pcie_replays": 40.0}


def test_a_counter_that_cannot_be_read_once_goes_on_afterwards() -> None:
    values = (100.0, None, 103.0)
    reports = [
        report(
            signal("gpu_0_pcie_replays", value),
            sequence=n,
            at=START + timedelta(seconds=10 * n),
        )
        for n, value in enumerate(values)
    ]
    assert kept(*reports[:2]).readings[0].figure is None
    assert kept(*reports).readings[0].figure == 3.0


def test_a_value_that_is_no_number_is_not_known() -> None:
    found = kept(report(signal("gpu_0_temperature", float("nan"))))
    assert (found.readings[0].value, found.readings[0].figure) == (None, None)


def test_a_clock_that_runs_ahead_does_not_keep_a_report_fresh() -> None:
    ahead = report(at=START + timedelta(days=1))
    assert kept(ahead).at == START + timedelta(hours=1)


def test_one_simulated_signal_makes_the_report_simulated() -> None:
    measured, simulated = signal("a", 1), signal("b", 1, Source.SIMULATED)
    assert kept(report(measured)).source is Source.MEASURED
    assert kept(report(measured, simulated)).source is Source.SIMULATED


def test_a_device_that_vanishes_becomes_a_signal() -> None:
    seven = tuple(SeenDevice(kind="gpu", index=index) for index in range(7))
    found = kept(report(inventory=Inventory(devices=seven)), accelerators=8)
    assert [(each.name, each.figure) for each in found.readings] == [("devices_missing", 1)]


def test_an_inventory_that_cannot_tell_is_no_missing_device() -> None:
    found = kept(report(inventory=Inventory(devices=None)), accelerators=8)
    assert found.readings == ()


def test_there_is_room_for_so_many_signals_and_the_first_of_a_name_counts() -> None:
    many = [signal(f"s{n}", n) for n in range(SIGNALS_MAX + 1)]
    assert len(kept(report(*many)).readings) == SIGNALS_MAX
    assert kept(report(signal("a", 1), signal("a", 2))).readings[0].value == 1


def test_a_late_report_keeps_gauges_for_the_chart_and_no_increases() -> None:
    late = report(signal("gpu_0_temperature", 61), signal("gpu_0_pcie_replays", 100))
    assert report_late(report=late, book=BOOK) == {
        "gpu_0_temperature": 61,
        "gpu_0_pcie_replays": None,
    }
