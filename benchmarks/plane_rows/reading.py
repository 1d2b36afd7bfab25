"""Reads the API at a steady rate: ``python -m benchmarks.plane_rows.reading FOLDER WEB SECONDS``.

A process of its own, so that what is measured does not wait for the one that makes the load.
Prints one JSON list of milliseconds; null for what was no 200.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Final

import httpx

from dev.demo.world import person_of

#: Between two reads, s.
EVERY_S: Final = 0.05


def main() -> None:
    """Read until the time is over."""
    folder, web, duration_s = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
    read_ms: list[float | None] = []
    with person_of(folder, web, "otto") as otto:
        node = otto.every("nodes", limit=1)[0]["id"]
        cluster = otto.every("clusters")[0]["id"]
        paths = (
            "overview",
            "nodes?limit=50",
            f"nodes/{node}",
            f"nodes/{node}/signals",
            f"clusters/{cluster}/layout",
            "jobs",
            "swaps",
        )
        end_s = time.monotonic() + duration_s
        turn = 0
        while time.monotonic() < end_s:
            begun_s = time.monotonic()
            try:
                otto.get(paths[turn % len(paths)])
            except httpx.HTTPError as error:
                print(error, file=sys.stderr)
                read_ms.append(None)
            else:
                read_ms.append((time.monotonic() - begun_s) * 1000)
            turn += 1
            time.sleep(max(0.0, EVERY_S - (time.monotonic() - begun_s)))
    print(json.dumps(read_ms))


if __name__ == "__main__":
    main()
