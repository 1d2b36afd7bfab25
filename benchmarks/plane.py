"""What the control plane bears (``make bench-plane``): rows of ``benchmarks/README.md``."""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import figures
from benchmarks.plane_rows import ingest, kills, outage, screen

if TYPE_CHECKING:
    from collections.abc import Callable

Row = dict[str, object]


def chosen(*, quick: bool) -> dict[str, Callable[[], Row]]:
    """Return the rows, as they are to be shown or in a form that ends within a minute or two."""
    return {
        "b": lambda: kills.measure(kills.QUICK if quick else kills.FULL),
        "c": lambda: screen.measure(screen.QUICK if quick else screen.FULL),
        "d": lambda: ingest.measure(ingest.QUICK if quick else ingest.FULL),
        "f": lambda: outage.measure(outage.QUICK if quick else outage.FULL),
    }


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument("--quick", action="store_true", help="fewer events, a shorter time")
    parser.add_argument("--rows", default="", help="letters")
    given = parser.parse_args()
    # so that context managers end what they have started
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    rows = chosen(quick=given.quick)
    wanted = [row for row in rows if not given.rows or row in given.rows]
    measured: figures.Figures = {}
    for row in wanted:
        begun_s = time.monotonic()
        print(f"row {row} ...", file=sys.stderr)
        alone = len(wanted) == 1
        found = rows[row]() if alone else in_own_process(row, quick=given.quick)
        measured[row] = {"load": figures.machine()["load_average_1_min"], **found}
        print(f"row {row}: {time.monotonic() - begun_s:.0f} s", file=sys.stderr)
        # after each row: what is measured stays, whatever comes of the next one
        figures.write(given.json, {**measured, "machine": figures.machine()})
    print(figures.render(measured, bars=figures.PLANE_BARS))


def in_own_process(row: str, *, quick: bool) -> Row:
    """Measure one row. Django can be set up once in a process, and each row has its own database.

    Raises subprocess.CalledProcessError: the row failed, and has said why.
    """
    with tempfile.TemporaryDirectory(prefix="hotswap-bench-") as folder:
        file = Path(folder, "figures.json")
        command = [sys.executable, __file__, "--rows", row, "--json", str(file)]
        command += ["--quick"] if quick else []
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            try:
                process.wait()
            finally:
                # told to end, it ends what it has started
                process.terminate()
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        found: Row = json.loads(file.read_text())[row]
        return found


if __name__ == "__main__":
    main()
