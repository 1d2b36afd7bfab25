"""Real signals of the machine: what it has no instrument for is absent, what fails is unknown."""

import os
from pathlib import Path

import pytest

from hotswap.node.agent.collector import Collectors
from hotswap.node.agent.host_signals import HostCollector
from hotswap.node.agent.inventory import take_inventory
from hotswap.node.agent.scenario import Curve, Scenario
from hotswap.node.agent.simulated_signals import SimulatedCollector
from hotswap.wire.plane import Signal


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A machine that has every instrument."""
    proc = tmp_path / "proc"
    (proc / "pressure").mkdir(parents=True)
    (proc / "loadavg").write_text("3.00 2.00 1.00 2/300 12345\n")
    (proc / "meminfo").write_text("MemTotal:  1000 kB\nMemFree: 10 kB\nMemAvailable:  250 kB\n")
    for what in ("cpu", "memory", "io"):
        text = "some avg10=12.50 avg60=0.00 avg300=0.00 total=1\n"
        (proc / "pressure" / what).write_text(text)
    zone = tmp_path / "sys" / "class" / "thermal" / "thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "type").write_text("x86_pkg_temp\n")
    (zone / "temp").write_text("61500\n")
    return tmp_path


def collected(root: Path) -> dict[str, Signal]:
    return {signal.name: signal for signal in HostCollector(root).collect(unix_s=0.0)}


def test_every_instrument_is_read(root: Path) -> None:
    signals = collected(root)
    cpus = len(os.sched_getaffinity(0))
    assert {name: (each.value, each.unit) for name, each in signals.items()} == {
        "cpu_load": (3.0 / cpus, "ratio"),
        "memory_used": (0.75, "ratio"),
        "cpu_pressure": (0.125, "ratio"),
        "memory_pressure": (0.125, "ratio"),
        "io_pressure": (0.125, "ratio"),
        "temperature_0_x86_pkg_temp": (61.5, "celsius"),
    }
    assert {each.source for each in signals.values()} == {"measured"}


def test_what_the_machine_does_not_have_is_absent(tmp_path: Path) -> None:
    assert collected(tmp_path) == {}


def test_what_cannot_be_read_this_time_is_unknown_and_not_zero(root: Path) -> None:
    zone = root / "sys" / "class" / "thermal" / "thermal_zone0"
    (zone / "temp").unlink()
    (root / "proc" / "meminfo").write_text("MemTotal: much\n")
    signals = collected(root)
    assert signals["temperature_0_x86_pkg_temp"].value is None
    assert signals["memory_used"].value is None


def test_this_machine_has_a_load() -> None:
    load = collected(Path("/"))["cpu_load"].value
    assert load is not None
    assert load >= 0


def test_a_simulated_signal_stands_in_for_the_measured_one_of_its_name(root: Path) -> None:
    scenario = Scenario(signals=(Curve(name="cpu_load", unit="ratio", normal=0.1),))
    simulated = SimulatedCollector(scenario, control_file=root / "degrade")
    both = Collectors([HostCollector(root), simulated]).collect(unix_s=0.0)
    (load,) = [signal for signal in both if signal.name == "cpu_load"]
    assert (load.value, load.source) == (0.1, "simulated")
    assert len(both) == 6


def test_the_inventory_says_that_gpus_are_unknown_where_nothing_can_tell() -> None:
    inventory = take_inventory(None)
    assert inventory.devices is None
    assert inventory.cpus == len(os.sched_getaffinity(0))
    assert inventory.memory_nbytes is not None
    assert inventory.memory_nbytes > 1 << 20
