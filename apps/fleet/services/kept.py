"""What is kept of a report, as columns and back."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from apps.fleet.domain.counters import Counter
from apps.fleet.domain.intake import Kept
from apps.fleet.domain.signals import Reading, Source
from apps.fleet.models import NodeReport


def kept_from(row: NodeReport) -> Kept:
    """Return what a row holds, without the readings, which the next report does not need."""
    return Kept(
        boot=row.boot,
        sequence=row.sequence,
        at=row.at,
        source=Source(row.source),
        readings=(),
        counters={name: _counter(held, boot=row.boot) for name, held in row.counters.items()},
    )


def signals_column(readings: Iterable[Reading]) -> list[list[Any]]:
    """Return readings as the database holds them: short, for they are written at every report."""
    return [[each.name, each.value, each.unit, each.source, each.figure] for each in readings]


def counters_column(counters: Mapping[str, Counter], *, boot: str) -> dict[str, list[Any]]:
    """Return counters as the database holds them; those of another boot have begun anew anyway."""
    return {
        name: [
            each.epoch,
            each.value,
            each.base_value,
            each.base_at.timestamp(),
            each.mark_value,
            each.mark_at.timestamp(),
        ]
        for name, each in counters.items()
        if each.boot == boot
    }


def _counter(held: list[Any], *, boot: str) -> Counter:
    epoch, value, base_value, base_at, mark_value, mark_at = held
    return Counter(
        boot=boot,
        epoch=epoch,
        value=value,
        base_value=base_value,
        base_at=datetime.fromtimestamp(base_at, tz=UTC),
        mark_value=mark_value,
        mark_at=datetime.fromtimestamp(mark_at, tz=UTC),
    )
