from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest

from apps.fleet.domain.signals import Inventory, SeenDevice, Signal, Source
from apps.fleet.domain.wire import report_from_wire
from hotswap.wire import plane

NODE = UUID(int=1)
WIRE = plane.NodeReport(
    inventory=plane.Inventory(
        hostname="n1",
        platform="Linux 6.1 x86_64",
        version="0.2",
        devices=(plane.Device(kind="gpu", index=0, model="H100"),),
    ),
    signals=(
        plane.Signal(name="gpu_0_temperature", value=61.0, unit="celsius"),
        plane.Signal(name="gpu_0_power", value=None, unit="watt", source="simulated"),
    ),
)


def test_everything_that_an_agent_says_about_its_node_arrives() -> None:
    report = report_from_wire(
        node_id=NODE, boot="b", sequence=7, sent_at="2026-01-01T13:00:00+01:00", node=WIRE
    )
    assert (report.node_id, report.boot, report.sequence) == (NODE, "b", 7)
    assert report.at == datetime(2026, 1, 1, 13, tzinfo=timezone(timedelta(hours=1)))
    assert report.signals[1] == Signal(
        name="gpu_0_power", value=None, unit="watt", source=Source.SIMULATED
    )
    assert report.inventory == Inventory(
        devices=(SeenDevice(kind="gpu", index=0, model="H100"),),
        firmware=(("platform", "Linux 6.1 x86_64"), ("hotswap", "0.2")),
    )


def test_a_time_without_a_zone_is_utc() -> None:
    report = report_from_wire(
        node_id=NODE, boot="b", sequence=7, sent_at="2026-01-01T13:00:00", node=WIRE
    )
    assert report.at == datetime(2026, 1, 1, 13, tzinfo=UTC)


def test_what_is_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="isoformat"):
        report_from_wire(node_id=NODE, boot="b", sequence=7, sent_at="noon", node=WIRE)
