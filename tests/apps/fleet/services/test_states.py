import json
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction

from apps.audit.models import AuditEntry
from apps.core.access import SYSTEM
from apps.core.errors import TransitionRefused
from apps.core.ids import new_id
from apps.core.models import OutboxMessage
from apps.fleet.domain.states import NodeState
from apps.fleet.errors import NodeChanged, NodeOccupied, NodeUnknown
from apps.fleet.models import Node, NodeEvent
from apps.fleet.services.states import node_state_change
from tests.apps.fleet.making import NOW, node

pytestmark = pytest.mark.django_db


def change(of: Node | UUID, target: str) -> Node:
    return node_state_change(
        node_id=of if isinstance(of, UUID) else of.id,
        target=NodeState(target),
        reason="fan 3 is loud",
        actor=SYSTEM,
        at=NOW,
    )


def test_a_change_is_a_row_an_event_a_message_and_an_entry_in_the_audit() -> None:
    n1 = change(node(), "quarantined")
    assert Node.objects.filter(id=n1.id, state="quarantined", state_reason="fan 3 is loud").exists()
    event = NodeEvent.objects.get()
    assert (event.kind, event.before, event.after) == ("state", "active", "quarantined")
    assert event.actor == SYSTEM.as_json()
    assert OutboxMessage.objects.get(topic="live").payload == {
        "id": str(n1.id),
        "state": "quarantined",
        "state_reason": "fan 3 is loud",
    }
    entry = AuditEntry.objects.get(subject=f"node:{n1.id}")
    assert (entry.action, json.loads(entry.body)["detail"]["to"]) == (
        "node.quarantine",
        "quarantined",
    )


def test_what_the_table_does_not_have_is_refused_and_leaves_nothing() -> None:
    n1 = node(state="quarantined")
    with pytest.raises(TransitionRefused) as refused:
        change(n1, "draining")
    assert set(refused.value.allowed) == {"active", "maintenance", "retired"}
    assert not NodeEvent.objects.exists()


def test_nothing_leads_out_of_retirement() -> None:
    n1 = node(state="retired")
    with pytest.raises(TransitionRefused):
        change(n1, "active")


def test_a_node_that_is_not_there_cannot_be_changed() -> None:
    with pytest.raises(NodeUnknown):
        change(new_id(), "draining")


@pytest.mark.parametrize("target", ["maintenance", "retired"])
def test_a_node_that_holds_a_rank_is_emptied_first(settings: Any, target: str) -> None:
    settings.FLEET_OCCUPANCY = "tests.apps.fleet.services.occupied.rank_3_everywhere"
    n1 = node()
    with pytest.raises(NodeOccupied, match="still holds gpt rank 3: swap them out first"):
        change(n1, target)
    assert change(n1, "quarantined").state == "quarantined"


def test_a_node_that_is_reserved_is_given_back_first() -> None:
    n1 = node(is_spare=True, reserved_for="swap:1")
    with pytest.raises(NodeOccupied, match="reserved for swap:1"):
        change(n1, "maintenance")


def test_who_is_second_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    n1 = node()

    def first_come(node_row: Node) -> None:
        Node.objects.filter(id=node_row.id).update(state="quarantined")

    monkeypatch.setattr("apps.fleet.services.states._check_empty", first_come)
    with pytest.raises(NodeChanged):
        change(n1, "maintenance")
    assert not NodeEvent.objects.exists()


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"state": "broken"}, "node_state_known"),
        ({"grade": "fine"}, "node_grade_known"),
        ({"reserved_for": "swap:1"}, "node_reserved_is_spare"),
    ],
)
def test_the_database_refuses_what_cannot_be(fields: dict[str, str], constraint: str) -> None:
    n1 = node()
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Node.objects.filter(id=n1.id).update(**fields)
