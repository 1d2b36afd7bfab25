"""What is kept of a report, as columns and back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from apps.fleet.domain.counters import Counter
from apps.fleet.domain.intake import Kept
from apps.fleet.domain.signals import Reading, Source
from apps.fleet.models import NodeReport
from apps.fleet.selectors.nodes import readings_from


def kept_from(row: NodeReport) -> Kept:
    """Return what a row holds."""
    return Kept(
        boot=row.boot,
        sequence=row.sequence,
        at=row.at,
        source=Source(row.source),
        readings=tuple(readings_from(row.signals)),
        counters={name: _counter(held) for name, held in row.counters.items()},
    )


def signals_column(readings: tuple[Reading, ...]) -> list[dict[str, Any]]:
    """Return readings as the database holds them."""
    return [
        {
            "name": each.name,
            "value": each.value,
            "unit": each.unit,
            "source": each.source.value,
            "figure": each.figure,
        }
        for each in readings
    ]


def counters_column(counters: Mapping[str, Counter]) -> dict[str, list[Any]]:
    """Return counters as the database holds them: short, for they are written at every report."""
    return {
        name: [
            each.boot,
            each.epoch,
            each.value,
            each.base_value,
            each.base_at.isoformat(),
            each.mark_value,
            each.mark_at.isoformat(),
        ]
        for name, each in counters.items()
    }


def _counter(held: list[Any]) -> Counter:
    boot, epoch, value, base_value, base_at, mark_value, mark_at = held
    return Counter(
        boot=boot,
        epoch=epoch,
        value=value,
        base_value=base_value,
        base_at=datetime.fromisoformat(base_at),
        mark_value=mark_value,
        mark_at=datetime.fromisoformat(mark_at),
    )
