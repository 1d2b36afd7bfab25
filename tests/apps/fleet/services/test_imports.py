import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.audit.models import AuditEntry
from apps.core.access import SYSTEM
from apps.fleet.errors import FleetNotReadable
from apps.fleet.models import Cluster, FailureDomain, Node, NodeClass, NodeEvent
from apps.fleet.services.imports import Import, Imported, fleet_import
from tests.apps.fleet.domain.imports.reading import sample
from tests.apps.fleet.making import NOW, node, tenant

pytestmark = pytest.mark.django_db


def bring(form: str, text: str, *, dry_run: bool = False, **changes: Any) -> Imported:
    fields: dict[str, Any] = {"tenant_id": tenant().id, "cluster": "alder"}
    given = Import(form=form, text=text, **(fields | changes))
    return fleet_import(given=given, dry_run=dry_run, actor=SYSTEM, at=NOW)


def test_a_fleet_comes_in_with_its_places_and_classes() -> None:
    done = bring("yaml", sample("fleet.yaml"), cluster=None)
    assert (done.cluster, done.applied, len(done.plan.changes)) == ("alder", True, 8)
    n1 = Node.objects.get(name="n1")
    assert (n1.tenant, n1.node_class.accelerators, n1.state) == (tenant(), 8, "active")
    assert n1.rack == FailureDomain.objects.get(kind="rack", name="r1")
    assert n1.rack.parent == FailureDomain.objects.get(kind="power", name="feed-a")
    n5 = Node.objects.get(name="n5")
    assert (n5.is_spare, n5.state, n5.state_reason) == (True, "maintenance", "fan")
    entry = json.loads(AuditEntry.objects.get(subject="cluster:alder").body)
    assert entry["detail"]["added"] == ["n1", "n2", "n5"]
    assert NodeEvent.objects.filter(kind="imported").count() == 3


@pytest.mark.parametrize(
    ("form", "name", "count"),
    [
        ("yaml", "fleet.yaml", 3),
        ("csv", "fleet.csv", 2),
        ("scontrol", "scontrol_show_node.txt", 3),
        ("scontrol", "scontrol_one_line.txt", 2),
        ("kubectl", "kubectl_get_nodes.json", 3),
    ],
)
def test_a_second_import_changes_nothing(form: str, name: str, count: int) -> None:
    bring(form, sample(name))
    entries = AuditEntry.objects.count()
    again = bring(form, sample(name))
    assert (again.plan.changes, again.plan.kept) == ((), count)
    assert Node.objects.count() == count
    assert AuditEntry.objects.count() == entries


def test_a_dry_run_says_the_same_and_does_nothing() -> None:
    tried = bring("yaml", sample("fleet.yaml"), dry_run=True)
    assert not tried.applied
    assert not Node.objects.exists()
    assert not Cluster.objects.exists()
    assert bring("yaml", sample("fleet.yaml")).plan == tried.plan


def test_what_has_changed_in_the_text_is_changed_and_the_rest_stays() -> None:
    bring("csv", "name,class,address,rack\nn1,c,10.0.0.1,r1\nn2,c,10.0.0.2,r1\n")
    Node.objects.filter(name="n2").update(state="draining")
    done = bring("csv", "name,class,address,rack\nn1,d,10.0.0.9,r2\nn2,c,,\n")
    assert [(change.action, change.name) for change in done.plan.changes] == [
        ("add", "d"),
        ("add", "rack/r2"),
        ("change", "n1"),
    ]
    n1, n2 = Node.objects.order_by("name").select_related("rack", "node_class")
    assert n1.rack is not None
    assert n2.rack is not None
    assert (n1.address, n1.rack.name, n1.node_class.name) == ("10.0.0.9", "r2", "d")
    assert [each.name for each in n1.domains.all()] == ["r2"]
    assert (n2.address, n2.rack.name, n2.state) == ("10.0.0.2", "r1", "draining")


def test_nodes_of_another_tenant_are_left_alone() -> None:
    theirs = node("n1", tenant=tenant("borealis"))
    done = bring("csv", "name,class,address\nn1,c,10.0.0.1\nn2,c,10.0.0.2\n")
    assert done.plan.notes == ("n1: left out, the name is taken in this cluster",)
    theirs.refresh_from_db()
    assert (theirs.address, theirs.tenant) == ("", tenant("borealis"))
    assert Node.objects.get(name="n2").tenant == tenant()


def test_a_text_that_cannot_be_read_changes_nothing_and_says_where() -> None:
    with pytest.raises(FleetNotReadable) as refused:
        bring("csv", "name,class\nn1\n")
    assert refused.value.fields == {"text": ["line 2: not as many values as columns"]}


def test_a_text_that_names_no_cluster_needs_one() -> None:
    with pytest.raises(FleetNotReadable) as refused:
        bring("csv", "name,class\nn1,c\n", cluster=None)
    assert "cluster" in refused.value.fields


def test_a_thousand_nodes_take_no_more_queries_than_ten() -> None:
    counts = []
    for first, last in ((0, 10), (10, 200)):
        lines = [f"n{number},c,r{number % 4}" for number in range(first, last)]
        with CaptureQueriesContext(connection) as captured:
            bring("csv", "\n".join(["name,class,rack", *lines]) + "\n")
        counts.append(len(captured))
    assert counts[1] <= counts[0]
    assert (Node.objects.count(), NodeClass.objects.count()) == (200, 1)
