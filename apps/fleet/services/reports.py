"""Reports of nodes, taken in by the batch: as many queries for a thousand as for one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from apps.core import canonical
from apps.core.access import SYSTEM
from apps.fleet.domain.grades import Grade, grade_explain, grade_of
from apps.fleet.domain.intake import (
    Kept,
    report_advance,
    report_is_news,
    report_late,
    simulated_names,
)
from apps.fleet.domain.rules import RULE_VERSION, RULES
from apps.fleet.domain.signals import Inventory, Report
from apps.fleet.limits import REPORTS_MAX, SAMPLES_KEPT_S, SEQUENCE_MAX, STALE_AFTER_S
from apps.fleet.models import Node, NodeReport, SignalSample
from apps.fleet.services.announcing import Happening, happenings_note
from apps.fleet.services.inventory import inventories_record
from apps.fleet.services.kept import counters_column, kept_from, signals_column
from apps.fleet.services.report_rows import reports_upsert, samples_insert

# inventories whose digest is not worked out again; nodes send the same one each time
INVENTORIES_REMEMBERED_MAX: Final = 16_384
BOOK: Final = RULES[RULE_VERSION]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """What became of a batch."""

    # reports that said more about now than what was known
    news: int
    # reports that came late, or again
    late: int
    # nodes that nobody has registered
    unknown_ids: tuple[UUID, ...]


@dataclass(slots=True, kw_only=True)
class _Batch:
    """A batch on its way through."""

    # the time at which it came
    at: datetime
    # what is known of each node: its columns
    nodes: Mapping[UUID, Mapping[str, Any]]
    # what is kept, by node; grows with each report
    kept: dict[UUID, Kept]
    # digests of inventories, by node
    digests: dict[UUID, str]
    # nodes whose latest report has become another one
    touched: dict[UUID, Grade] = field(default_factory=dict)
    # inventories that are not what they were
    inventories: dict[UUID, Inventory] = field(default_factory=dict)
    samples: list[SignalSample] = field(default_factory=list)
    late: int = 0
    news: int = 0


@transaction.atomic
def node_reports_ingest(
    *, reports: Sequence[Report], at: datetime, stale_after_s: float = STALE_AFTER_S
) -> Intake:
    """Take in a batch of reports of any nodes.

    Late and repeated reports do no harm: within a boot of the agent the sequence says what is news,
    between two boots the time does. A late report still adds to the chart.

    Queries: two that read, two that write; up to eight more if grades change, and up to six if
    inventories do. Rows of reports are locked in the order of their nodes.

    Args:
        reports: at most `REPORTS_MAX`; several of one node in the order in which they came.
        at: when they came.
        stale_after_s: how long a report counts after it was sent.

    Raises:
        ValueError: if there are more than `REPORTS_MAX`, or one has a number or a boot that cannot
            be kept.
    """
    if len(reports) > REPORTS_MAX:
        raise ValueError(f"{len(reports)} reports at once: at most {REPORTS_MAX}")
    for report in reports:
        if report.sequence > SEQUENCE_MAX or not report.boot.isprintable():
            raise ValueError(f"node {report.node_id}: its report has no number or boot to keep")
    if not reports:
        return Intake(news=0, late=0, unknown_ids=())
    batch = _read(ids=sorted({report.node_id for report in reports}), at=at)
    for report in reports:
        if report.node_id in batch.nodes:
            _take(batch=batch, report=report)
    _write(batch=batch, stale_after_s=stale_after_s)
    return Intake(
        news=batch.news,
        late=batch.late,
        unknown_ids=tuple(
            dict.fromkeys(r.node_id for r in reports if r.node_id not in batch.nodes)
        ),
    )


def _read(*, ids: list[UUID], at: datetime) -> _Batch:
    """Return what is known of the nodes; their reports stay locked."""
    held = {
        row.node_id: row
        for row in NodeReport.objects.select_for_update(no_key=True)
        .filter(node_id__in=ids)
        # two batches that hold the same nodes wait for each other, and never in a circle
        .order_by("node_id")
        # what the signals were does not matter any more
        .defer("signals")
    }
    columns = Node.objects.filter(id__in=ids).values(
        "id", "tenant_id", "grade", "node_class__accelerators"
    )
    return _Batch(
        at=at,
        nodes={each["id"]: each for each in columns},
        kept={node_id: kept_from(row) for node_id, row in held.items()},
        digests={node_id: row.inventory_digest for node_id, row in held.items()},
    )


def _take(*, batch: _Batch, report: Report) -> None:
    """Note one report in the batch."""
    node_id = report.node_id
    previous = batch.kept.get(node_id)
    if not report_is_news(previous=previous, report=report):
        _take_late(batch=batch, report=report)
        return
    accelerators = batch.nodes[node_id]["node_class__accelerators"] or 0
    kept = report_advance(
        previous=previous,
        report=report,
        accelerators=accelerators,
        book=BOOK,
        received_at=batch.at,
    )
    batch.news += 1
    batch.kept[node_id] = kept
    batch.touched[node_id] = grade_of(book=BOOK, readings=kept.readings, accelerators=accelerators)
    batch.samples.append(
        SignalSample(
            node_id=node_id,
            at=kept.at,
            boot=kept.boot,
            sequence=kept.sequence,
            simulated=simulated_names(kept.readings),
            values={each.name: each.figure for each in kept.readings},
        )
    )
    _compare_inventory(batch=batch, report=report)


def _take_late(*, batch: _Batch, report: Report) -> None:
    """Note a report that is no news: it may still fill a gap in the chart."""
    batch.late += 1
    at = min(report.at, batch.at)
    if batch.at - at >= timedelta(seconds=SAMPLES_KEPT_S):
        return
    batch.samples.append(
        SignalSample(
            node_id=report.node_id,
            at=at,
            boot=report.boot,
            sequence=report.sequence,
            simulated=simulated_names(report.signals),
            values=report_late(report=report, book=BOOK),
        )
    )


def _compare_inventory(*, batch: _Batch, report: Report) -> None:
    """Note an inventory that is not what it was."""
    if report.inventory is None:
        return
    digest = inventory_digest(report.inventory)
    if batch.digests.get(report.node_id) != digest:
        batch.digests[report.node_id] = digest
        batch.inventories[report.node_id] = report.inventory


@lru_cache(maxsize=INVENTORIES_REMEMBERED_MAX)
def inventory_digest(inventory: Inventory) -> str:
    """Return what inventories are compared by."""
    devices = inventory.devices
    return canonical.digest(
        {
            "devices": None
            if devices is None
            else [[d.kind, d.index, d.model, d.uuid, d.memory_nbytes] for d in devices],
            "firmware": [list(level) for level in inventory.firmware],
        }
    )


def _write(*, batch: _Batch, stale_after_s: float) -> None:
    """Write what the batch has made."""
    rows = [
        _row(batch=batch, node_id=node_id, stale_after_s=stale_after_s)
        for node_id in sorted(batch.touched)
    ]
    reports_upsert(rows)
    samples_insert(batch.samples)
    if batch.inventories:
        inventories_record(inventories=batch.inventories, nodes=batch.nodes, at=batch.at)
    _change_grades(batch)


def _row(*, batch: _Batch, node_id: UUID, stale_after_s: float) -> NodeReport:
    """Return a node's latest report."""
    kept = batch.kept[node_id]
    return NodeReport(
        node_id=node_id,
        boot=kept.boot,
        sequence=kept.sequence,
        at=kept.at,
        received_at=batch.at,
        stale_at=kept.at + timedelta(seconds=stale_after_s),
        source=kept.source.value,
        signals=signals_column(kept.readings),
        counters=counters_column(kept.counters, boot=kept.boot),
        inventory_digest=batch.digests.get(node_id, ""),
    )


def _change_grades(batch: _Batch) -> None:
    """Write the grades that have become others; one UPDATE a grade."""
    changed = {
        node_id: grade
        for node_id, grade in batch.touched.items()
        if batch.nodes[node_id]["grade"] != grade.value
    }
    if not changed:
        return
    # all at once and in order, whatever else holds several of them
    locked = Node.objects.select_for_update(no_key=True).filter(id__in=changed).order_by("id")
    list(locked.values_list("id"))
    for grade in sorted(set(changed.values())):
        ids = [node_id for node_id, found in changed.items() if found is grade]
        Node.objects.filter(id__in=ids).update(grade=grade.value, grade_at=batch.at)
    happenings_note(
        happenings=[
            Happening(
                node_id=node_id,
                tenant_id=batch.nodes[node_id]["tenant_id"],
                kind="grade",
                before=batch.nodes[node_id]["grade"],
                after=grade.value,
                reason=_reason(batch=batch, node_id=node_id),
                fields={"grade": grade.value, "stale": False},
            )
            for node_id, grade in changed.items()
        ],
        actor=SYSTEM,
        at=batch.at,
    )


def _reason(*, batch: _Batch, node_id: UUID) -> str:
    """Return why a node has its grade."""
    return grade_explain(
        book=BOOK,
        readings=batch.kept[node_id].readings,
        accelerators=batch.nodes[node_id]["node_class__accelerators"] or 0,
        stale=False,
    ).reason
