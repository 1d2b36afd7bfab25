"""How a node feels: the port that gives its signals, and several of them as one."""

from collections.abc import Iterable
from typing import Protocol

from hotswap.wire.plane import Signal


class Collector(Protocol):
    """Reads instruments of the node.

    ``collect`` is called again and again, from one thread at a time, and may take a while: it runs
    outside the event loop. It raises nothing: what can't be read this time is a signal without a
    value, what the node has no instrument for is no signal at all.
    """

    def collect(self, *, unix_s: float) -> tuple[Signal, ...]:
        """Return the signals of this moment; ``unix_s`` is it by the wall clock."""


class Collectors:
    """Several collectors as one: the later ones win where two give a signal of one name."""

    def __init__(self, collectors: Iterable[Collector]) -> None:
        """Ask these, in this order."""
        self._collectors = tuple(collectors)

    def collect(self, *, unix_s: float) -> tuple[Signal, ...]:
        """See `Collector.collect`."""
        signals = [each.collect(unix_s=unix_s) for each in self._collectors]
        by_name = {signal.name: signal for group in signals for signal in group}
        return tuple(by_name.values())
