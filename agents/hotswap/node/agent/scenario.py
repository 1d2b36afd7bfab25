"""A scenario of signals that a person wrote: what each one is, s after the worsening began. Pure.

A JSON file::

    {
      "signals": [
        {"name": "fan_speed", "unit": "rpm", "normal": 5200, "jitter": 40,
         "curve": [[0, 5200], [20, 3100], [60, 900]]},
        {"name": "ecc_corrected", "unit": "count", "normal": 0, "curve": [[5, 0], [40, 120]]}
      ]
    }

Between two points of a curve a value runs straight, before the first one it is ``normal``, after
the last one it stays. A point without a value (``[30, null]``) is a signal that can't be read from
then on. ``jitter`` moves a value by up to so much, in a pattern that repeats.
"""

import math
from pathlib import Path
from typing import Annotated

import msgspec

from hotswap.errors import ScenarioMalformed
from hotswap.wire.plane import Signal

#: Largest scenario that is read, bytes.
SCENARIO_NBYTES_MAX = 1 << 20


class Curve(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One signal over time."""

    name: str
    unit: str
    # value as long as nothing worsens
    normal: float
    # seconds since the worsening began, and the value then
    curve: Annotated[tuple[tuple[float, float | None], ...], msgspec.Meta(max_length=1_000)] = ()
    jitter: Annotated[float, msgspec.Meta(ge=0)] = 0.0

    def __post_init__(self) -> None:
        """Refuse points that do not follow each other."""
        times = [at for at, _ in self.curve]
        if times != sorted(set(times)):
            raise ValueError(f"the curve of {self.name} has to rise in time")


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Signals that are simulated."""

    signals: Annotated[tuple[Curve, ...], msgspec.Meta(max_length=200)]


def read_scenario(path: Path) -> Scenario:
    """Read a scenario.

    Raises:
        ScenarioMalformed: there is none, or it is not one; the message says where.

    """
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(SCENARIO_NBYTES_MAX), type=Scenario)
    except OSError as error:
        raise ScenarioMalformed(f"cannot read the scenario {path}: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise ScenarioMalformed(f"{path} is no scenario: {error}") from error


def signals_at(
    scenario: Scenario, *, worsening_s: float | None, unix_s: float
) -> tuple[Signal, ...]:
    """Return the signals of one moment.

    Args:
        scenario: what is simulated.
        worsening_s: time since the worsening began; None: it has not.
        unix_s: wall clock, by which values jitter.

    """
    return tuple(
        Signal(
            name=curve.name,
            value=_jittered(curve, _value_at(curve, worsening_s), unix_s),
            unit=curve.unit,
            source="simulated",
        )
        for curve in scenario.signals
    )


def _value_at(curve: Curve, worsening_s: float | None) -> float | None:
    if worsening_s is None:
        return curve.normal
    before_s: float | None = None
    before: float | None = curve.normal
    for at_s, value in curve.curve:
        if worsening_s < at_s:
            if value is None or before is None or before_s is None:
                return before
            share = (worsening_s - before_s) / (at_s - before_s)
            return before + share * (value - before)
        before_s, before = at_s, value
    return before


def _jittered(curve: Curve, value: float | None, unix_s: float) -> float | None:
    if value is None or curve.jitter == 0:
        return value
    return value + curve.jitter * math.sin(unix_s * 1.7) * math.cos(unix_s * 0.37)
