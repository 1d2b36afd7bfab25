"""Signals by a scenario, labelled as simulated: for demonstrations and tests.

The worsening begins when the control file appears (`touch`, or SIGUSR1 to the agent) and ends when
it is removed. Its time is that of the file, so that a restart of the agent changes nothing.
"""

from pathlib import Path

from hotswap.node.agent.scenario import Scenario, signals_at
from hotswap.wire.plane import Signal


class SimulatedCollector:
    """Implements `hotswap.node.agent.collector.Collector` by a scenario."""

    def __init__(self, scenario: Scenario, *, control_file: Path) -> None:
        """Simulate ``scenario``, which worsens while ``control_file`` is there."""
        self._scenario = scenario
        self._control_file = control_file

    def collect(self, *, unix_s: float) -> tuple[Signal, ...]:
        """See `Collector.collect`."""
        try:
            worsening_s = max(unix_s - self._control_file.stat().st_mtime, 0.0)
        except FileNotFoundError:
            worsening_s = None
        return signals_at(self._scenario, worsening_s=worsening_s, unix_s=unix_s)
