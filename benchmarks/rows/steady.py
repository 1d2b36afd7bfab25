"""Row g: processor time of the training ranks per step, without any disturbance."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.figures import rounded
from benchmarks.lab import session
from benchmarks.lab.job import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SCRIPT = ROOT / "benchmarks" / "lab" / "steady.py"
RANKS = 2
#: First steps of a run, which allocate and compile.
WARM_UP_STEPS = 5
RUN_S = 900.0
KINDS = ("plain", "without_mirror", "with_mirror")


def measure(*, repeats: int, steps: int) -> dict[str, object]:
    """Run plain, without mirror and with mirror in turn; compare the medians of all steps."""
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    medians: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for repeat in range(repeats):
        # turned round each time, so that a change of the machine's load meets all alike
        for kind in KINDS if repeat % 2 == 0 else KINDS[::-1]:
            costs = _plain(steps) if kind == "plain" else _protected(kind, steps)
            print(f"{kind}: {median(costs):.1f} ms of CPU per step", file=sys.stderr)
            found[kind] += costs
            medians[kind].append(median(costs))
    plain = median(found["plain"])
    figures: dict[str, object] = {"repeats": repeats, "steps": steps, "ranks": RANKS}
    for kind in KINDS:
        figures[f"cpu_{kind}_ms"] = rounded(median(found[kind]))
        figures[f"cpu_{kind}_ms_of_repeats"] = [rounded(each) for each in medians[kind]]
    for kind in KINDS[1:]:
        figures[f"cpu_{kind}_ratio"] = rounded(median(found[kind]) / plain)
    return figures


def _plain(steps: int) -> list[float]:
    """Return the CPU time of each rank's steps, ms, of torchrun."""
    with tempfile.TemporaryDirectory(prefix="hotswap-plain-") as name:
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += [f"--nproc-per-node={RANKS}", str(SCRIPT), "--plain", "--out", name]
        subprocess.run(
            [*command, "--steps", str(steps + WARM_UP_STEPS)],
            env=os.environ | {"PYTHONPATH": f"{ROOT / 'agents'}:{ROOT}", "OMP_NUM_THREADS": "1"},
            check=True,
            timeout=RUN_S,
            stderr=subprocess.DEVNULL,
        )
        return costs_ms(read(Path(name)), first=WARM_UP_STEPS, steps=steps)


def _protected(kind: str, steps: int) -> list[float]:
    """Return the same of hotswap; with a mirror, from the moment at which it is complete."""
    mirrored = kind == "with_mirror"
    with session.Session(
        ranks=RANKS, standbys=int(mirrored), script=SCRIPT, settings=False
    ) as running:
        if mirrored:
            running.protected()
        else:
            running.run()
            running.job.wait_step(WARM_UP_STEPS, timeout_s=RUN_S)
        # a step is written down by its rank before it shows here; one more, to be past the pace
        first = running.committed() + 1
        running.job.wait_step(first + steps, timeout_s=RUN_S)
        return costs_ms(read(running.out), first=first, steps=steps)


def read(folder: Path) -> list[list[Mapping[str, float]]]:
    """Read what the ranks wrote."""
    return [
        [
            json.loads(line)
            for line in path.read_text().splitlines(keepends=True)
            if line[-1] == "\n"
        ]
        for path in sorted(folder.glob("cpu-*.jsonl"))
    ]


def costs_ms(
    ranks: Iterable[Iterable[Mapping[str, float]]], *, first: int, steps: int
) -> list[float]:
    """Return the CPU time between the ends of neighbouring steps, of all ranks.

    Args:
        ranks: by rank, then by step: ``step`` and ``cpu_s``, the process's total at its end.
        first: step with which to begin.
        steps: how many steps of each rank.

    """
    found = []
    for readings in ranks:
        for former, each in pairwise(readings):
            if first <= each["step"] < first + steps and each["step"] == former["step"] + 1:
                found.append((each["cpu_s"] - former["cpu_s"]) * 1000)
    return found
