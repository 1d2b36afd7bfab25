"""Simulated signals follow the file, say that they are simulated, and begin when told to."""

import json
import os
from pathlib import Path

import pytest

from hotswap.errors import ScenarioMalformed
from hotswap.node.agent.scenario import Curve, Scenario, read_scenario, signals_at
from hotswap.node.agent.simulated_signals import SimulatedCollector
from hotswap.wire.plane import Signal

FAN = Curve(name="fan", unit="rpm", normal=5000.0, curve=((10.0, 5000.0), (20.0, 1000.0)))
DEAD = Curve(name="probe", unit="celsius", normal=60.0, curve=((5.0, 70.0), (8.0, None)))
SCENARIO = Scenario(signals=(FAN, DEAD))


def at(worsening_s: float | None) -> list[float | None]:
    signals = signals_at(SCENARIO, worsening_s=worsening_s, unix_s=0.0)
    assert {signal.source for signal in signals} == {"simulated"}
    return [signal.value for signal in signals]


@pytest.mark.parametrize(
    ("worsening_s", "fan", "probe"),
    [
        (None, 5000.0, 60.0),
        (0.0, 5000.0, 60.0),
        (5.0, 5000.0, 70.0),
        (15.0, 3000.0, None),
        (20.0, 1000.0, None),
        (1e6, 1000.0, None),
    ],
)
def test_values_follow_their_curve(
    worsening_s: float | None, fan: float, probe: float | None
) -> None:
    assert at(worsening_s) == [fan, probe]


def test_jitter_stays_within_its_bounds_and_repeats() -> None:
    scenario = Scenario(signals=(Curve(name="t", unit="celsius", normal=60.0, jitter=2.0),))

    def value(unix_s: float) -> float:
        (signal,) = signals_at(scenario, worsening_s=None, unix_s=unix_s)
        assert signal.value is not None
        return signal.value

    values = [value(float(second)) for second in range(200)]
    assert all(58.0 <= each <= 62.0 for each in values)
    assert len(set(values)) > 100
    assert value(17.0) == values[17]


def test_the_worsening_begins_with_the_control_file_and_ends_without_it(tmp_path: Path) -> None:
    control = tmp_path / "degrade"
    collector = SimulatedCollector(SCENARIO, control_file=control)

    def fan(unix_s: float) -> Signal:
        return collector.collect(unix_s=unix_s)[0]

    assert fan(1_000.0).value == 5000.0
    control.touch()
    os.utime(control, (1_000.0, 1_000.0))
    assert fan(1_015.0).value == 3000.0
    # a collector of a restarted agent goes on where it was
    restarted = SimulatedCollector(SCENARIO, control_file=control)
    assert restarted.collect(unix_s=1_020.0)[0].value == 1000.0
    control.unlink()
    assert fan(1_020.0).value == 5000.0


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    curve = [[10, 5000], [20, 1000]]
    path.write_text(
        json.dumps({"signals": [{"name": "fan", "unit": "rpm", "normal": 5000, "curve": curve}]})
    )
    assert read_scenario(path) == Scenario(signals=(FAN,))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no scenario"),
        ('{"signals": [{"name": "a", "unit": "b"}]}', "normal"),
        ('{"signals": [], "speed": 2}', "speed"),
        (
            '{"signals": [{"name": "a", "unit": "b", "normal": 0, "curve": [[2, 0], [1, 0]]}]}',
            "has to rise in time",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "scenario.json"
    path.write_text(text)
    with pytest.raises(ScenarioMalformed, match=message):
        read_scenario(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioMalformed, match=r"cannot read the scenario .*nothing\.json"):
        read_scenario(tmp_path / "nothing.json")
