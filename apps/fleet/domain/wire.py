"""What agents say on the wire, as values of this app."""

from datetime import UTC, datetime
from uuid import UUID

from apps.fleet.domain.signals import Inventory, Report, SeenDevice, Signal, Source
from hotswap.wire import plane


def report_from_wire(
    *, node_id: UUID, boot: str, sequence: int, sent_at: str, node: plane.NodeReport
) -> Report:
    """Return an agent's report about its node.

    Raises:
        ValueError: if ``sent_at`` is no time.
    """
    at = datetime.fromisoformat(sent_at)
    return Report(
        node_id=node_id,
        boot=boot,
        sequence=sequence,
        # a time without a zone is one of a clock that runs in UTC
        at=at if at.tzinfo is not None else at.replace(tzinfo=UTC),
        signals=tuple(
            Signal(
                name=signal.name,
                value=signal.value,
                unit=signal.unit,
                source=Source(signal.source),
            )
            for signal in node.signals
        ),
        inventory=inventory_from_wire(node.inventory),
    )


def inventory_from_wire(inventory: plane.Inventory) -> Inventory:
    """Return what a node consists of."""
    levels = {"platform": inventory.platform, "hotswap": inventory.version}
    devices = inventory.devices
    return Inventory(
        devices=None
        if devices is None
        else tuple(
            SeenDevice(
                kind=device.kind,
                index=device.index,
                model=device.model or "",
                uuid=device.uuid or "",
                memory_nbytes=device.memory_nbytes,
            )
            for device in devices
        ),
        firmware=tuple((name, level) for name, level in levels.items() if level),
    )
