"""What it costs when ranks change hands (``make bench-swap``).

The keys are the rows of ``benchmarks/README.md``, which says what each figure means.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import figures
from benchmarks.peers import run as peers
from benchmarks.rows import frozen, kills, planned, surroundings

if TYPE_CHECKING:
    from collections.abc import Callable

Row = dict[str, object]


def full(seed: int | None) -> dict[str, Callable[[], Row]]:
    """Return the rows as they are to be shown."""
    return {
        "a": lambda: planned.measure(planned.FULL),
        "b": lambda: kills.measure(kills=50, cases=kills.CASES, seed=seed),
        "c": lambda: frozen.measure(wedged=True),
        "d": lambda: surroundings.measure(elections=50, everything=True),
        "f": lambda: planned.measure_flatness(80),
        "h": lambda: _peers(quick=False),
    }


def quick(seed: int | None) -> dict[str, Callable[[], Row]]:
    """Return what ends within a minute: rows c, f and h take longer."""
    return {
        "a": lambda: planned.measure(planned.QUICK),
        "b": lambda: kills.measure(kills=2, cases=(), seed=seed),
        "d": lambda: surroundings.measure(elections=3, everything=False),
    }


def small(seed: int | None) -> dict[str, Callable[[], Row]]:
    """Return every row in its smallest form."""
    return {
        **quick(seed),
        "b": lambda: kills.measure(kills=1, cases=kills.CASES, seed=seed),
        "c": lambda: frozen.measure(wedged=False),
        "f": lambda: planned.measure_flatness(4),
        "h": lambda: _peers(quick=True),
    }


def _peers(*, quick: bool) -> Row:
    return peers.measure(quick=quick)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument("--quick", action="store_true", help="a few swaps and kills, one mode")
    parser.add_argument("--rows", default="", help="letters; with --quick in their smallest form")
    parser.add_argument("--seed", type=int, help="of the moments of the kills")
    given = parser.parse_args()
    # so that context managers end what they have started
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    rows = full(given.seed) if not given.quick else (small if given.rows else quick)(given.seed)
    measured: figures.Figures = {}
    for row, measure in sorted(rows.items()):
        if given.rows and row not in given.rows:
            continue
        begun_s = time.monotonic()
        print(f"row {row} ...", file=sys.stderr)
        measured[row] = {**measure(), "load": figures.machine()["load_average_1_min"]}
        print(f"row {row}: {time.monotonic() - begun_s:.0f} s", file=sys.stderr)
        # after each row: what is measured stays, whatever comes of the next one
        figures.write(given.json, {**measured, "machine": figures.machine()})
    print(figures.render(measured))


if __name__ == "__main__":
    main()
