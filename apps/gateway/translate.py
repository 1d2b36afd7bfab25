"""Between the words of the wire and those of the apps. Pure."""

from datetime import datetime
from typing import Final
from uuid import UUID

from apps.fleet.domain.signals import Inventory, Report, SeenDevice, Signal, Source
from apps.gateway.errors import ReportRefused
from apps.jobs.models import Command
from hotswap.wire import plane

#: Signal that tells of gaps in all others.
DROPPED: Final = "agent_samples_dropped"


def node_report(*, node_id: UUID, report: plane.Report) -> Report | None:
    """Return what a report says about its node; None when it says nothing.

    Raises:
        ReportRefused: its instant is none.
    """
    if report.node is None:
        return None
    return Report(
        node_id=node_id,
        boot=report.boot,
        sequence=report.sequence,
        at=instant(report.sent_at, name="sent_at"),
        signals=(*_dropped(report), *(_signal(each) for each in report.node.signals)),
        inventory=_inventory(report.node.inventory),
    )


def _dropped(report: plane.Report) -> tuple[Signal, ...]:
    """Return how many samples the agent has given up since its boot, once there are any."""
    if not report.dropped:
        return ()
    return (Signal(name=DROPPED, value=report.dropped, unit="count", source=Source.MEASURED),)


def _signal(told: plane.Signal) -> Signal:
    return Signal(name=told.name, value=told.value, unit=told.unit, source=Source(told.source))


def command(row: Command) -> plane.Command:
    """Return a command as its agent hears it."""
    return plane.Command(
        id=str(row.id),
        kind=row.kind,
        fence=row.fence,
        job=None if row.job_id is None else str(row.job_id),
        deadline=row.deadline_at.isoformat(),
        payload=row.payload,
    )


def instant(text: str, *, name: str) -> datetime:
    """Return a moment.

    Raises:
        ReportRefused: it is not ISO 8601 with an offset.
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise ReportRefused(fields={name: ["Not an instant."]}) from error
    if at.tzinfo is None:
        raise ReportRefused(fields={name: ["No offset from UTC."]})
    return at


def _inventory(inventory: plane.Inventory) -> Inventory:
    devices = inventory.devices
    levels = {"platform": inventory.platform, "hotswap": inventory.version}
    return Inventory(
        devices=None
        if devices is None
        else tuple(
            SeenDevice(
                kind=each.kind,
                index=each.index,
                model=each.model or "",
                uuid=each.uuid or "",
                memory_nbytes=each.memory_nbytes,
            )
            for each in devices
        ),
        firmware=tuple((name, level) for name, level in levels.items() if level),
    )
