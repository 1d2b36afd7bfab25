"""The comparison as a table for a terminal. Pure."""

from collections.abc import Sequence

from benchmarks.peers.summary import Report, Spread, spread

_HEADINGS = (
    "system",
    "commit gap, s",
    "full strength, s",
    "steps lost",
    "samples lost/doubled",
    "same losses",
    "same state",
    "step, ms",
)
_MS_PER_S = 1_000.0


def render(reports: Sequence[Report], *, limit_s: float) -> str:
    """Return the table, with what did not go well below it."""
    rows = [_HEADINGS, *(_row(report) for report in reports)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    lines.append("")
    lines.append(f"median (smallest to largest); never: not within {limit_s:.0f} s of the start")
    for report in reports:
        lines.append(f"{report.name}: {report.configuration}")
        lines.extend(f"  ! {reason}" for reason in dict.fromkeys(report.reasons))
        if _differs_undisturbed(report):
            lines.append("  ! differs from the reference even when undisturbed")
    return "\n".join(lines)


def _differs_undisturbed(report: Report) -> bool:
    """Return whether the system computes something else, even left alone."""
    seen = report.undisturbed
    return seen is not None and seen.finished and not seen.same_state


def _row(report: Report) -> tuple[str, ...]:
    """Return one system's cells."""
    verdicts = report.verdicts
    if not verdicts:
        return (report.name, *(["no result"] + [""] * (len(_HEADINGS) - 2)))
    lost = max(verdict.samples_lost for verdict in verdicts)
    doubled = max(verdict.samples_doubled for verdict in verdicts)
    return (
        report.name,
        _seconds(spread(verdict.commit_gap_ms for verdict in verdicts)),
        _seconds(spread(verdict.full_strength_ms for verdict in verdicts)),
        _count(spread(verdict.steps_lost for verdict in verdicts)),
        f"{lost}/{doubled}",
        _share([verdict.same_losses if verdict.finished else None for verdict in verdicts]),
        _share([verdict.same_state if verdict.finished else None for verdict in verdicts]),
        _count(spread(verdict.step_ms for verdict in verdicts)),
    )


def _seconds(values: Spread) -> str:
    """Show times in seconds."""

    def shown(value: float | None) -> str:
        return "never" if value is None else f"{value / _MS_PER_S:.2f}"

    if values.never or values.smallest != values.largest:
        return f"{shown(values.median)} ({shown(values.smallest)} to {shown(values.largest)})"
    return shown(values.median)


def _count(values: Spread) -> str:
    """Show whole numbers."""
    if values.median is None or values.smallest is None or values.largest is None:
        return "unknown"
    if values.smallest == values.largest:
        return f"{values.median:.0f}"
    return f"{values.median:.0f} ({values.smallest:.0f} to {values.largest:.0f})"


def _share(facts: Sequence[bool | None]) -> str:
    """Show in how many runs something held; None: a run that did not finish."""
    held = sum(fact is True for fact in facts)
    if held == len(facts):
        return "yes"
    if held:
        return f"{held} of {len(facts)}"
    return "no" if False in facts else "unfinished"
