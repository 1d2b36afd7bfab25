import pytest

from apps.core.models import OutboxMessage
from apps.fleet.limits import SAMPLES_KEPT_S
from apps.fleet.models import NodeEvent, SignalSample
from apps.fleet.services.upkeep import grades_expire, samples_prune
from tests.apps.fleet.making import at, healthy, ingest, node, report

pytestmark = pytest.mark.django_db


def test_a_grade_whose_report_is_stale_becomes_unknown_and_is_told_once() -> None:
    n1, n2 = node("n1"), node("n2")
    healthy(n1)
    healthy(n2, second=10)
    OutboxMessage.objects.all().delete()
    assert grades_expire(at=at(14.9)) == 0
    assert grades_expire(at=at(15)) == 1
    assert grades_expire(at=at(16)) == 0
    n1.refresh_from_db()
    n2.refresh_from_db()
    assert (n1.grade, n2.grade) == ("unknown", "low")
    event = NodeEvent.objects.filter(node=n1).latest("id")
    assert (event.before, event.after) == ("low", "unknown")
    assert OutboxMessage.objects.get().payload == {
        "id": str(n1.id),
        "grade": "unknown",
        "stale": True,
    }


def test_a_node_that_reports_again_is_graded_again() -> None:
    n1 = node()
    healthy(n1)
    grades_expire(at=at(60))
    healthy(n1, second=61)
    n1.refresh_from_db()
    assert n1.grade == "low"


def test_samples_that_no_chart_shows_any_more_are_deleted() -> None:
    n1 = node()
    for second in (0.0, 10.0, SAMPLES_KEPT_S):
        ingest(report(n1, sequence=1 + int(second), second=second), second=second)
    assert samples_prune(at=at(SAMPLES_KEPT_S + 5)) == 1
    assert list(SignalSample.objects.order_by("at").values_list("at", flat=True)) == [
        at(10),
        at(SAMPLES_KEPT_S),
    ]
