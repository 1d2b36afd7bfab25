"""What nodes see of themselves: a device that vanishes is missing, and not forgotten."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from apps.core.access import SYSTEM
from apps.fleet.domain.imports.values import text_tidied
from apps.fleet.domain.signals import Inventory, SeenDevice
from apps.fleet.limits import DEVICES_MAX, SEQUENCE_MAX
from apps.fleet.models import Device, Node
from apps.fleet.services.announcing import Happening, happenings_note

# length of a device's kind
KIND_LENGTH_MAX = 40
PRESENT, MISSING = "present", "missing"


def inventories_record(
    *, inventories: Mapping[UUID, Inventory], nodes: Mapping[UUID, Mapping[str, Any]], at: datetime
) -> None:
    """Write inventories that have changed; up to six queries, however many there are.

    Args:
        inventories: by node.
        nodes: ``tenant_id`` by node.
        at: when they came.
    """
    held = {
        (row.node_id, row.kind, row.index): row
        for row in Device.objects.filter(node_id__in=inventories)
    }
    rows: dict[tuple[UUID, str, int], Device] = {}
    happenings: list[Happening] = []
    for node_id, inventory in inventories.items():
        # nothing on the node can tell: what was known stays as it is
        if inventory.devices is None:
            continue
        seen = {
            (node_id, each.kind, each.index): each
            for each in map(_tidied, inventory.devices[:DEVICES_MAX])
            if each.index < DEVICES_MAX
        }
        for place, device in seen.items():
            rows[place] = _present(held.get(place), place=place, device=device, at=at)
        for place, row in held.items():
            if place[0] == node_id and place not in seen and row.state != MISSING:
                row.state, row.state_at = MISSING, at
                rows[place] = row
                happenings.append(
                    _missing(row=row, tenant_id=nodes[node_id]["tenant_id"], node_id=node_id)
                )
    Device.objects.bulk_create(
        rows.values(),
        update_conflicts=True,
        unique_fields=["node", "kind", "index"],
        update_fields=["model", "uuid", "memory_nbytes", "state", "state_at"],
    )
    _record_firmware(inventories)
    happenings_note(happenings=happenings, actor=SYSTEM, at=at)


def _tidied(device: SeenDevice) -> SeenDevice:
    """Return a device whose texts and sizes can be kept; a size that cannot is not known."""
    memory = device.memory_nbytes
    return SeenDevice(
        kind=text_tidied(device.kind, length_max=KIND_LENGTH_MAX),
        index=device.index,
        model=text_tidied(device.model),
        uuid=text_tidied(device.uuid),
        memory_nbytes=memory if memory is not None and memory <= SEQUENCE_MAX else None,
    )


def _present(
    row: Device | None, *, place: tuple[UUID, str, int], device: SeenDevice, at: datetime
) -> Device:
    """Return a device that is there."""
    node_id, kind, index = place
    if row is None:
        row = Device(created_at=at, node_id=node_id, kind=kind, index=index, state_at=at)
    elif row.state != PRESENT:
        row.state_at = at
    row.state = PRESENT
    row.model, row.uuid, row.memory_nbytes = device.model, device.uuid, device.memory_nbytes
    return row


def _missing(*, row: Device, tenant_id: UUID, node_id: UUID) -> Happening:
    return Happening(
        node_id=node_id,
        tenant_id=tenant_id,
        kind="device",
        before=f"{row.kind} {row.index} {PRESENT}",
        after=f"{row.kind} {row.index} {MISSING}",
        reason="The node does not see it any more.",
        fields={},
    )


def _record_firmware(inventories: Mapping[UUID, Inventory]) -> None:
    """Write the levels that nodes report over those that they had."""
    nodes = list(Node.objects.filter(id__in=inventories).only("id", "firmware"))
    for node in nodes:
        levels = inventories[node.id].firmware
        node.firmware = {
            **node.firmware,
            **{text_tidied(name): text_tidied(level) for name, level in levels},
        }
    Node.objects.bulk_update(nodes, ["firmware"])
