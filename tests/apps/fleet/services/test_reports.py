from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.core.ids import new_id
from apps.core.models import OutboxMessage
from apps.fleet.domain.rules import DEVICES_MISSING
from apps.fleet.domain.signals import Inventory, SeenDevice, Source
from apps.fleet.limits import REPORTS_MAX
from apps.fleet.models import Device, Node, NodeEvent, NodeReport, SignalSample
from tests.apps.fleet.making import NOW, at, ingest, node, node_class, report, signal, tenant

pytestmark = pytest.mark.django_db


def test_a_report_becomes_the_latest_one_a_sample_and_a_grade() -> None:
    n1 = node()
    intake = ingest(report(n1, signal("temperature_0_cpu", 101)))
    assert (intake.news, intake.late, intake.unknown_ids) == (1, 0, ())
    kept = NodeReport.objects.get(node=n1)
    assert (kept.boot, kept.sequence, kept.at, kept.stale_at) == ("b1", 1, NOW, at(15))
    assert kept.signals == [["temperature_0_cpu", 101, "celsius", "measured", 101]]
    assert SignalSample.objects.get(node=n1).values == {"temperature_0_cpu": 101}
    n1.refresh_from_db()
    assert (n1.grade, n1.grade_at) == ("high", NOW)


def test_a_change_of_grade_is_an_event_with_its_reason_and_is_told_to_browsers() -> None:
    n1 = node()
    ingest(report(n1, signal("temperature_0_cpu", 101)))
    event = NodeEvent.objects.get(node=n1)
    assert (event.kind, event.before, event.after) == ("grade", "unknown", "high")
    assert event.reason == "temperature_0_cpu: 101 celsius is at or above 100"
    told = OutboxMessage.objects.get()
    assert (told.topic, told.kind, told.tenant_id) == ("live", "node.changed", tenant().id)
    assert told.payload == {"id": str(n1.id), "grade": "high", "stale": False}


def test_a_grade_that_stays_is_not_told_again() -> None:
    n1 = node()
    for sequence in (1, 2, 3):
        ingest(report(n1, sequence=sequence, second=sequence), second=sequence)
    assert NodeEvent.objects.filter(node=n1).count() == 1


def test_a_report_that_comes_twice_changes_nothing() -> None:
    n1 = node()
    ingest(report(n1))
    again = ingest(report(n1, signal(value=99)), second=5)
    assert (again.news, again.late) == (0, 1)
    assert NodeReport.objects.get().signals[0][1] == 40
    assert SignalSample.objects.count() == 1
    assert SignalSample.objects.get().values == {"temperature_0_cpu": 40}


def test_a_late_report_fills_the_chart_and_leaves_the_grade() -> None:
    n1 = node()
    ingest(report(n1, sequence=3, second=10), second=10)
    late = ingest(report(n1, signal(value=99), sequence=2, second=5), second=11)
    assert (late.news, late.late) == (0, 1)
    assert NodeReport.objects.get().sequence == 3
    assert list(SignalSample.objects.order_by("at").values_list("at", flat=True)) == [at(5), at(10)]
    n1.refresh_from_db()
    assert n1.grade == "low"


def test_a_report_of_a_boot_that_is_over_does_nothing_to_what_is_known() -> None:
    n1 = node()
    ingest(report(n1, boot="b2", second=10), second=10)
    ingest(report(n1, signal(value=99), boot="b1", sequence=77, second=9), second=11)
    assert NodeReport.objects.get().boot == "b2"


def test_a_late_report_that_no_chart_shows_any_more_is_left_out() -> None:
    n1 = node()
    ingest(report(n1, sequence=3))
    ingest(report(n1, sequence=2, at=NOW - timedelta(hours=2)))
    assert SignalSample.objects.count() == 1


def test_several_reports_of_one_node_count_in_turn() -> None:
    n1 = node()
    counts = [
        report(n1, signal("nic_errors", value), sequence=sequence, second=60 * sequence)
        for sequence, value in enumerate((100, 100, 400))
    ]
    intake = ingest(*counts, second=130)
    assert intake.news == 3
    assert NodeReport.objects.get().signals[0][4] == 300
    n1.refresh_from_db()
    assert n1.grade == "high"


def test_a_counter_that_goes_down_does_not_look_like_a_burst() -> None:
    n1 = node()
    ingest(report(n1, signal("nic_errors", 5_000_000)))
    ingest(report(n1, signal("nic_errors", 3), sequence=2, second=5), second=5)
    assert NodeReport.objects.get().signals[0][4] is None
    n1.refresh_from_db()
    assert n1.grade == "unknown"


def test_a_node_that_nobody_has_registered_is_named_and_does_not_stop_the_others() -> None:
    n1, stranger = node(), new_id()
    intake = ingest(report(stranger), report(n1))
    assert (intake.news, intake.unknown_ids) == (1, (stranger,))


def test_what_is_simulated_says_so_signal_by_signal() -> None:
    n1 = node()
    ingest(report(n1, signal("temperature_0_cpu"), signal("nic_errors", 1, Source.SIMULATED)))
    assert NodeReport.objects.get().source == "simulated"
    assert SignalSample.objects.get().simulated == ["nic_errors"]


def test_devices_are_kept_and_one_that_vanishes_is_missing() -> None:
    n1 = node(node_class=node_class("hgx", 2))
    both = Inventory(
        devices=tuple(SeenDevice(kind="gpu", index=n, model="H100") for n in range(2)),
        firmware=(("platform", "Linux"),),
    )
    one = Inventory(devices=both.devices[:1] if both.devices else None)
    warm = signal("gpu_0_temperature", 50)
    ingest(report(n1, warm, inventory=both))
    ingest(report(n1, warm, inventory=one, sequence=2, second=5), second=5)
    states = dict(Device.objects.values_list("index", "state"))
    assert states == {0: "present", 1: "missing"}
    n1.refresh_from_db()
    assert (n1.grade, n1.firmware) == ("high", {"platform": "Linux"})
    missing = NodeReport.objects.get().signals[-1]
    assert (missing[0], missing[4]) == (DEVICES_MISSING, 1)
    assert NodeEvent.objects.filter(kind="device", after="gpu 1 missing").count() == 1
    ingest(report(n1, warm, inventory=both, sequence=3, second=9), second=9)
    assert set(Device.objects.values_list("state", flat=True)) == {"present"}


def test_an_inventory_that_cannot_tell_leaves_the_devices() -> None:
    n1 = node()
    ingest(report(n1, inventory=Inventory(devices=(SeenDevice(kind="gpu", index=0),))))
    ingest(report(n1, inventory=Inventory(devices=None), sequence=2, second=1), second=1)
    assert Device.objects.get().state == "present"


def test_what_an_agent_may_not_say_does_no_harm() -> None:
    n1 = node()
    odd = Inventory(
        devices=(
            SeenDevice(kind="g" * 99, index=0, model="a\0b", memory_nbytes=2**70),
            SeenDevice(kind="gpu", index=2**40),
        ),
        firmware=(("plat\0form", "x" * 999),),
    )
    ingest(
        report(n1, signal("a\0b", 1), signal("nic_errors", 1e308), signal("ok", 1), inventory=odd),
    )
    ingest(report(n1, signal("nic_errors", 1.7e308), sequence=2, second=1), second=1)
    device = Device.objects.get()
    assert (len(device.kind), device.model, device.memory_nbytes) == (40, "a b", None)
    assert NodeReport.objects.get().signals[0][4] is None
    n1.refresh_from_db()
    assert [len(level) for level in n1.firmware.values()] == [120]


@pytest.mark.parametrize("changes", [{"sequence": 2**63}, {"boot": "a\0b"}])
def test_a_report_that_cannot_be_kept_is_refused(changes: dict[str, Any]) -> None:
    n1 = node()
    with pytest.raises(ValueError, match="to keep"):
        ingest(report(n1, **changes))


def queries(*nodes: Node, sequence: int) -> int:
    """Return the statements that one batch takes, those of its transaction left out."""
    with CaptureQueriesContext(
        connection,
    ) as captured:
        ingest(*(report(each, sequence=sequence, second=sequence) for each in nodes), second=9)
    return sum("SAVEPOINT" not in query["sql"] for query in captured)


def test_a_batch_takes_as_many_queries_as_a_single_report() -> None:
    nodes = [node(f"n{number}") for number in range(60)]
    # nothing is known yet: grades change, events and messages are written
    assert queries(*nodes, sequence=1) == 8
    assert queries(*nodes, sequence=2) == 4
    assert queries(nodes[0], sequence=3) == 4


def test_no_report_takes_no_query() -> None:
    with CaptureQueriesContext(connection) as captured:
        ingest()
    assert [query for query in captured if "SAVEPOINT" not in query["sql"]] == []


def test_there_is_a_limit_to_one_batch() -> None:
    n1 = node()
    with pytest.raises(ValueError, match="at most"):
        ingest(*[report(n1)] * (REPORTS_MAX + 1))
