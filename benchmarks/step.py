"""What a step costs while nothing happens (``make bench-step``): rows g and j.

The keys are the rows of ``benchmarks/README.md``, which says what each figure means.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import coordinator_scale, figures
from benchmarks.rows import steady


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument("--quick", action="store_true", help="one repeat of a few steps")
    given = parser.parse_args()
    # so that context managers end what they have started
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    measured: figures.Figures = {"j": dict(coordinator_scale.measure())}
    steps, repeats = (15, 1) if given.quick else (60, 5)
    cost = steady.measure(repeats=repeats, steps=steps)
    measured["g"] = {**cost, "load": figures.machine()["load_average_1_min"]}
    figures.write(given.json, {**measured, "machine": figures.machine()})
    print(figures.render(measured))


if __name__ == "__main__":
    main()
