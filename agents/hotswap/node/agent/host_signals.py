"""Signals of the machine itself, from /proc and /sys; what the kernel does not offer is absent."""

import os
from pathlib import Path
from typing import Final

from hotswap.wire.plane import Signal

_PERCENT: Final = 100.0
_MILLI: Final = 1000.0


class HostCollector:
    """Implements `hotswap.node.agent.collector.Collector` for Linux."""

    def __init__(self, root: Path = Path("/")) -> None:
        """Read below ``root``."""
        self._proc = root / "proc"
        self._thermal = root / "sys" / "class" / "thermal"
        self._cpus = len(os.sched_getaffinity(0))

    def collect(self, *, unix_s: float) -> tuple[Signal, ...]:  # noqa: ARG002 - of the port
        """See `Collector.collect`."""
        return (
            *self._load(),
            *self._memory(),
            *self._pressure("cpu"),
            *self._pressure("memory"),
            *self._pressure("io"),
            *self._temperatures(),
        )

    def _load(self) -> tuple[Signal, ...]:
        """Processes that run or wait for a processor, per processor, over a minute."""
        text = _read(self._proc / "loadavg")
        if text is None:
            return ()
        load = _number(text.partition(" ")[0])
        value = None if load is None else load / self._cpus
        return (Signal(name="cpu_load", value=value, unit="ratio"),)

    def _memory(self) -> tuple[Signal, ...]:
        """Memory that could not be had any more, of all there is."""
        text = _read(self._proc / "meminfo")
        if text is None:
            return ()
        sizes = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        total = _number(sizes.get("MemTotal", "").removesuffix("kB"))
        available = _number(sizes.get("MemAvailable", "").removesuffix("kB"))
        value = None if not total or available is None else 1 - available / total
        return (Signal(name="memory_used", value=value, unit="ratio"),)

    def _pressure(self, what: str) -> tuple[Signal, ...]:
        """Share of ten seconds in which some process waited for it."""
        text = _read(self._proc / "pressure" / what)
        if text is None:
            return ()
        _, _, rest = text.partition("avg10=")
        percent = _number(rest.partition(" ")[0])
        value = None if percent is None else percent / _PERCENT
        return (Signal(name=f"{what}_pressure", value=value, unit="ratio"),)

    def _temperatures(self) -> tuple[Signal, ...]:
        signals = []
        for zone in sorted(self._thermal.glob("thermal_zone*")):
            kind = (_read(zone / "type") or zone.name).strip()
            millicelsius = _number(_read(zone / "temp") or "")
            value = None if millicelsius is None else millicelsius / _MILLI
            name = f"temperature_{zone.name.removeprefix('thermal_zone')}_{kind}"
            signals.append(Signal(name=name, value=value, unit="celsius"))
        return tuple(signals)


def _read(path: Path) -> str | None:
    """Return what a file holds; None: there is no such instrument, or it doesn't answer."""
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
