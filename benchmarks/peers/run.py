"""Side by side: the same model, the same machine, one rank killed; what did it cost?

``python -m benchmarks.peers.run`` from the root of the repository prints the table. The systems run
one after another, each several times with a kill and once without.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers import (
    hotswap_system,
    lm_resiliency_system,
    summary,
    table,
    torchft_system,
    torchrun_system,
)
from benchmarks.peers import model as shared
from benchmarks.peers.judge import Reference, Verdict, judge
from benchmarks.peers.processes import REPOSITORY, base_environment
from benchmarks.peers.summary import Report
from benchmarks.peers.system import Case, Kill, System, SystemUnavailable
from benchmarks.peers.watch import ProbeFiles

OURS = hotswap_system.ONE_STANDBY
_KILL_DELAY_S_MAX = 0.12
_REFERENCE_LIMIT_S = 180.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How long a run is."""

    steps: int
    # the kill comes after one of these steps; late enough for a standby to have caught up, and so
    # early that a replica that starts again finds the job still going on
    kill_steps: tuple[int, int]
    limit_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """How often a system is run."""

    system: System
    # with a kill
    repeats: int
    # and once without
    undisturbed: bool = False


FULL = Extent(steps=120, kill_steps=(15, 25), limit_s=120)
FULL_ENTRIES = (
    Entry(system=torchft_system.AS_ITS_EXAMPLE, repeats=1),
    Entry(system=torchft_system.DEFAULT, repeats=2),
    Entry(system=torchft_system.TUNED, repeats=2),
    Entry(system=torchft_system.TUNED_SPARE, repeats=3, undisturbed=True),
    Entry(system=torchrun_system.EVERY_10_STEPS, repeats=2, undisturbed=True),
    Entry(system=lm_resiliency_system.EVERY_STEP, repeats=2, undisturbed=True),
    Entry(system=OURS, repeats=3, undisturbed=True),
)
QUICK = Extent(steps=40, kill_steps=(12, 20), limit_s=40)
# the best of the peers, as the full comparison shows
QUICK_ENTRIES = (
    Entry(system=torchft_system.TUNED_SPARE, repeats=1),
    Entry(system=OURS, repeats=1),
)


def compare(*, extent: Extent, entries: Sequence[Entry], seed: int) -> dict[str, object]:
    """Run the systems, print the table, return the figures.

    Args:
        extent: how long a run is.
        entries: the systems, in the order of the table.
        seed: of the moments of the kills, the same for every system.

    """
    with tempfile.TemporaryDirectory(prefix="peers-") as name:
        directory = Path(name)
        reference = _reference(extent, directory)
        reports = [
            _examine(entry, extent=extent, seed=seed, reference=reference, directory=directory)
            for entry in entries
        ]
    print(table.render(reports, limit_s=extent.limit_s))
    return {
        "seed": seed,
        "steps": extent.steps,
        "ranks": shared.RANKS,
        "systems": {report.name: summary.figures(report) for report in reports},
        **summary.comparison(OURS.name, reports),
    }


def plan_kill(*, seed: int, repeat: int, extent: Extent) -> Kill:
    """Draw the moment of a kill; the same for every system."""
    chance = random.Random(f"{seed}/{repeat}")  # noqa: S311 - repeatable, not secret
    return Kill(
        rank=chance.randrange(shared.RANKS),
        step=chance.randint(*extent.kill_steps),
        delay_s=chance.uniform(0, _KILL_DELAY_S_MAX),
    )


def _examine(
    entry: Entry, *, extent: Extent, seed: int, reference: Reference, directory: Path
) -> Report:
    """Run one system as often as wanted."""
    system = entry.system
    try:
        system.prepare()
    except SystemUnavailable as error:
        return Report(
            name=system.name, configuration=system.configuration, reasons=(f"not run: {error}",)
        )
    kills: list[Kill | None] = [
        plan_kill(seed=seed, repeat=repeat, extent=extent) for repeat in range(entry.repeats)
    ]
    if entry.undisturbed:
        kills.append(None)
    seen = [
        (
            kill,
            *_run(
                system,
                Case(
                    directory=directory / f"{_slug(system.name)}-{number}",
                    steps=extent.steps,
                    kill=kill,
                    limit_s=extent.limit_s,
                ),
                reference,
            ),
        )
        for number, kill in enumerate(kills)
    ]
    return Report(
        name=system.name,
        configuration=system.configuration,
        verdicts=tuple(verdict for kill, verdict, _ in seen if kill and verdict),
        undisturbed=next((verdict for kill, verdict, _ in seen if not kill), None),
        reasons=tuple(reason for _, _, reason in seen if reason),
    )


def _run(system: System, case: Case, reference: Reference) -> tuple[Verdict | None, str]:
    """Run one case; return the verdict, None when it never got to the kill, and what went wrong."""
    print(f"{system.name}: {case.kill or 'undisturbed'}", file=sys.stderr)
    outcome = system.run(case)
    files = ProbeFiles(case.probes)
    files.read_new()
    if case.kill is not None and outcome.kill_ns is None:
        return None, f"did not get to the kill: {outcome.reason}"
    verdict = judge(files.records, reference=reference, kill_ns=outcome.kill_ns)
    return verdict, outcome.reason


def _reference(extent: Extent, directory: Path) -> Reference:
    """Compute the undisturbed run, in a process with the environment of all others."""
    path = directory / "reference.json"
    case = Case(directory=directory, steps=extent.steps, kill=None, limit_s=extent.limit_s)
    subprocess.run(
        [sys.executable, "-m", "benchmarks.peers.reference", str(extent.steps), str(path)],
        env=base_environment(case),
        cwd=REPOSITORY,
        check=True,
        timeout=_REFERENCE_LIMIT_S,
    )
    values = json.loads(path.read_text())
    return Reference(
        losses=tuple(tuple(row) for row in values["losses"]),
        digest=values["digest"],
        sample_ids=lambda step, rank: shared.sample_ids(step=step, rank=rank),
    )


def _slug(name: str) -> str:
    """Return a name as a directory may be called."""
    return "".join(letter if letter.isalnum() else "-" for letter in name)


def measure(*, quick: bool, seed: int = 1) -> dict[str, object]:
    """Compare Hotswap with its peers; return what stands under the letter h."""
    if quick:
        return compare(extent=QUICK, entries=QUICK_ENTRIES, seed=seed)
    return compare(extent=FULL, entries=FULL_ENTRIES, seed=seed)


def main() -> None:
    """Read the command line and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one peer, one repeat")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    result = measure(quick=arguments.quick, seed=arguments.seed)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps({"h": result}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
