"""How reports and samples reach the database: one statement a batch.

On PostgreSQL a batch is one parameter in JSON, taken apart by the server. As arrays of JSON, which
is what the ORM makes of it, every quotation mark in it is escaped in Python, and that takes longer
than everything else together.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from django.db import connection
from django.db.models import Model

from apps.fleet.models import NodeReport, SignalSample

_REPORTS: Final = """
INSERT INTO fleet_nodereport
  (node_id, boot, sequence, at, received_at, stale_at, source, signals, counters, inventory_digest)
SELECT
  node_id, boot, sequence, at, received_at, stale_at, source, signals, counters, inventory_digest
FROM json_to_recordset(%s::json) AS report (
  node_id uuid, boot text, sequence bigint, at timestamptz, received_at timestamptz,
  stale_at timestamptz, source text, signals jsonb, counters jsonb, inventory_digest text
)
ON CONFLICT (node_id) DO UPDATE SET
  boot = excluded.boot, sequence = excluded.sequence, at = excluded.at,
  received_at = excluded.received_at, stale_at = excluded.stale_at, source = excluded.source,
  signals = excluded.signals, counters = excluded.counters,
  inventory_digest = excluded.inventory_digest
"""

_SAMPLES: Final = """
INSERT INTO fleet_signalsample (node_id, at, sequence, boot, simulated, "values")
SELECT node_id, at, sequence, boot, simulated, "values"
FROM json_to_recordset(%s::json) AS sample (
  node_id uuid, at timestamptz, sequence bigint, boot text, simulated jsonb, "values" jsonb
)
ON CONFLICT DO NOTHING
"""

REPORT_COLUMNS: Final = (
    "boot", "sequence", "at", "received_at", "stale_at", "source", "signals", "counters",
    "inventory_digest",
)  # fmt: skip
SAMPLE_COLUMNS: Final = ("at", "sequence", "boot", "simulated", "values")


def reports_upsert(rows: Sequence[NodeReport]) -> None:
    """Write the latest reports of nodes over the ones before; one statement."""
    if not rows:
        return
    if connection.vendor == "postgresql":
        _execute(_REPORTS, rows=rows, columns=REPORT_COLUMNS)
        return
    NodeReport.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["node"],
        update_fields=REPORT_COLUMNS,
    )


def samples_insert(rows: Sequence[SignalSample]) -> None:
    """Add samples; one that is there already stays as it is; one statement."""
    if not rows:
        return
    if connection.vendor == "postgresql":
        _execute(_SAMPLES, rows=rows, columns=SAMPLE_COLUMNS)
        return
    SignalSample.objects.bulk_create(rows, ignore_conflicts=True)


def _execute(statement: str, *, rows: Sequence[Model], columns: tuple[str, ...]) -> None:
    """Run a statement whose one parameter is the rows in JSON."""
    held: list[dict[str, Any]] = [
        {name: getattr(row, name) for name in ("node_id", *columns)} for row in rows
    ]
    with connection.cursor() as cursor:
        cursor.execute(statement, [msgspec.json.encode(held).decode()])
