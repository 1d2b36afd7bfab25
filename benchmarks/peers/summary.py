"""From the verdicts on each system's runs to the figures of the comparison. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.peers.judge import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that was seen of one system."""

    name: str
    configuration: str
    # runs with a kill
    verdicts: tuple[Verdict, ...] = ()
    # the run without one, where there was one
    undisturbed: Verdict | None = None
    # why a run did not finish, or why there was none
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Median and range of a measure. A run that did not get there counts as never, not as zero."""

    # None: more than half of the runs did not get there
    median: float | None
    smallest: float | None
    # None: at least one run did not get there
    largest: float | None
    never: int


def spread(values: Iterable[float | None]) -> Spread:
    """Summarise measures of which some may be missing, which count as larger than any other."""
    every = tuple(values)
    there = sorted(value for value in every if value is not None)
    never = len(every) - len(there)
    padded = [*there, *([float("inf")] * never)]
    middle = median(padded) if padded else float("inf")
    return Spread(
        median=None if middle == float("inf") else middle,
        smallest=there[0] if there else None,
        largest=there[-1] if there and not never else None,
        never=never,
    )


def figures(report: Report) -> dict[str, object]:
    """Return the figures of one system, each named after its measure and unit."""
    verdicts = report.verdicts
    result: dict[str, object] = {
        "configuration": report.configuration,
        "repeats": len(verdicts),
        "reasons": list(report.reasons),
    }
    for measure in ("step_ms", "commit_gap_ms", "new_step_ms", "full_strength_ms", "steps_lost"):
        values = spread(getattr(verdict, measure) for verdict in verdicts)
        result |= {
            f"{measure}_p50": values.median,
            f"{measure}_min": values.smallest,
            f"{measure}_max": values.largest,
            f"{measure}_never": values.never,
        }
    for measure in ("samples_lost", "samples_doubled"):
        result[f"{measure}_max"] = max(
            (getattr(verdict, measure) for verdict in verdicts), default=None
        )
    for fact in ("same_losses", "same_state", "finished"):
        result[fact] = bool(verdicts) and all(
            verdict.finished and getattr(verdict, fact) for verdict in verdicts
        )
    if report.undisturbed is not None:
        result["undisturbed_step_ms"] = report.undisturbed.step_ms
        result["undisturbed_same"] = (
            report.undisturbed.same_losses and report.undisturbed.same_state
        )
    return result


def comparison(ours: str, reports: Sequence[Report]) -> dict[str, object]:
    """Set one system against the others.

    Args:
        ours: name of the system.
        reports: of all systems, it included.

    """
    by_name = {report.name: figures(report) for report in reports}
    peers = {name: values for name, values in by_name.items() if name != ours}
    best = {measure: _best(peers, measure) for measure in ("commit_gap_ms", "full_strength_ms")}
    same = sorted(name for name, values in peers.items() if values["same_losses"])
    gap = by_name.get(ours, {}).get("commit_gap_ms_p50")
    peer_gap = best["commit_gap_ms"]
    return {
        "best_peer_commit_gap_ms_p50": peer_gap,
        "best_peer_full_strength_ms_p50": best["full_strength_ms"],
        "commit_gap_to_best_peer_ratio": (
            gap / peer_gap if isinstance(gap, float) and peer_gap else None
        ),
        "only_one_with_same_losses": (
            by_name[ours]["same_losses"] and not same if ours in by_name else None
        ),
        "peers_with_same_losses": same,
        "peers_with_same_losses_and_no_step_lost": sorted(
            name
            for name, values in peers.items()
            if values["same_losses"] and values["steps_lost_max"] == 0
        ),
    }


def _best(peers: Mapping[str, Mapping[str, object]], measure: str) -> float | None:
    """Return the smallest median of the peers; None when none got there."""
    medians = [values[f"{measure}_p50"] for values in peers.values()]
    return min((value for value in medians if isinstance(value, float)), default=None)
