"""The rule that makes grades, as data with a version.

A placeholder that is meant to be read: one line of thresholds a signal, each with where it comes
from. A version never changes once published; a new one is added beside it.

A signal of one device carries its number in its name, ``gpu_3_temperature``; the rule names it
without, ``gpu_temperature``, and judges each device by itself.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final

# distinct names that a fleet's reports use; more are worked out again each time
_NAMES_MAX: Final = 8192
_ZONE: Final = re.compile(r"temperature_[0-9]+_")
_DEVICE_NUMBER: Final = re.compile(r"_[0-9]+(?=_)")


@lru_cache(maxsize=_NAMES_MAX)
def signal_base(name: str) -> str:
    """Return a signal's name without the number of its device.

    Thermal zones are called as their kernel likes, ``temperature_0_x86_pkg_temp``: they are all
    one, ``temperature``.
    """
    return "temperature" if _ZONE.match(name) else _DEVICE_NUMBER.sub("", name, count=1)


class SignalKind(StrEnum):
    """How a signal's value becomes the figure that is judged."""

    # judged as it is
    GAUGE = "gauge"
    # a total that only grows; judged by its increase per minute
    COUNTER = "counter"


class Direction(StrEnum):
    """Which way a signal gets worse."""

    RISING = "rising"
    FALLING = "falling"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalRule:
    """Thresholds of one signal; a threshold that is None is never reached."""

    # name of the signal in reports, without the number of a device
    name: str
    # unit of the figure that is judged
    unit: str
    # gauge or counter
    kind: SignalKind
    # which way it gets worse
    direction: Direction
    # from here on the node is medium, and so on
    medium: float | None
    high: float | None
    critical: float | None
    # whether a node with accelerators is unknown without it
    required: bool
    # where the thresholds come from
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBook:
    """One version of the rule."""

    # grows by one with each change
    version: int
    # thresholds by name of the signal
    signals: Mapping[str, SignalRule]
    # names of what a node with accelerators must report
    required: frozenset[str]

    def find(self, name: str) -> SignalRule | None:
        """Return the thresholds of a signal; None: the rule has no opinion about it."""
        return self.signals.get(signal_base(name))


def _gauge(
    name: str,
    unit: str,
    *thresholds: float | None,
    origin: str,
    direction: Direction = Direction.RISING,
    required: bool = False,
) -> SignalRule:
    """Return the rule of a signal that is judged as it is."""
    medium, high, critical = thresholds
    return SignalRule(
        name=name,
        unit=unit,
        kind=SignalKind.GAUGE,
        direction=direction,
        medium=medium,
        high=high,
        critical=critical,
        required=required,
        origin=origin,
    )


def _counter(name: str, *thresholds: float | None, origin: str) -> SignalRule:
    """Return the rule of a total that is judged by its increase per minute."""
    medium, high, critical = thresholds
    return SignalRule(
        name=name,
        unit="1/min",
        kind=SignalKind.COUNTER,
        direction=Direction.RISING,
        medium=medium,
        high=high,
        critical=critical,
        required=False,
        origin=origin,
    )


def _book(*, version: int, rules: tuple[SignalRule, ...]) -> RuleBook:
    """Return a version of the rule, with its look-ups."""
    return RuleBook(
        version=version,
        signals=MappingProxyType({rule.name: rule for rule in rules}),
        required=frozenset(rule.name for rule in rules if rule.required),
    )


# derived on arrival: accelerators that the node's class has and its inventory lacks
DEVICES_MISSING: Final = "devices_missing"

_TYPICAL: Final = "typical of data centres"
_KILLS: Final = "the kernel begins to end processes"
_VENDOR_RESET: Final = "vendor: reset the device"
_VENDOR_REPLACE: Final = "vendor: replace the device"

RULES: Final[Mapping[int, RuleBook]] = MappingProxyType(
    {
        1: _book(
            version=1,
            rules=(
                _gauge("gpu_temperature", "celsius", 80, 88, 95, origin=_TYPICAL, required=True),
                _gauge(
                    "gpu_temperature_margin",
                    "celsius",
                    10,
                    5,
                    0,
                    origin="the device's own limit",
                    direction=Direction.FALLING,
                ),
                _gauge("gpu_throttled", "ratio", 0.05, 0.3, 0.8, origin=_TYPICAL),
                _gauge("gpu_row_remap_pending", "count", None, 1, None, origin=_VENDOR_RESET),
                _gauge("gpu_row_remap_failure", "count", None, None, 1, origin=_VENDOR_REPLACE),
                _gauge(DEVICES_MISSING, "count", None, 1, 2, origin="fewer than the class has"),
                _gauge("temperature", "celsius", 90, 100, 110, origin=_TYPICAL),
                _gauge("memory_used", "ratio", 0.95, 0.98, 0.995, origin=_KILLS),
                _counter("gpu_ecc_corrected", 10, 10_000, None, origin="DCGM; storms in the field"),
                _counter("gpu_ecc_uncorrected", None, 1, 4, origin=_VENDOR_RESET),
                _counter("gpu_pcie_replays", 31, 310, 3_100, origin="DCGM, Gen5 x16"),
                _counter("gpu_nvlink_errors", 1, 60, 600, origin="DCGM: one replay a minute"),
                _counter("nic_errors", 5, 120, 1_200, origin="InfiniBand link recovery, symbols"),
            ),
        ),
    }
)

# the version that new reports are graded by
RULE_VERSION: Final = 1
