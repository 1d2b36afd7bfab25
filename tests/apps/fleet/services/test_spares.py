from datetime import datetime
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from apps.audit.models import AuditEntry
from apps.core.access import SYSTEM, Role
from apps.fleet.errors import NodeOccupied, SpareMissing
from apps.fleet.models import Node, NodeEvent
from apps.fleet.selectors.spares import SpareQuestion, spares_ranked
from apps.fleet.services.spares import (
    node_spare_set,
    spare_release,
    spare_reserve,
    spare_use,
)
from tests.apps.fleet.making import NOW, at, domain, healthy, node, node_class, tenant
from tests.apps.signed_in import an_actor


def reserve(source: Node, reserved_for: str = "swap:1", **changes: Any) -> Node:
    return spare_reserve(
        question=SpareQuestion(node_id=source.id), reserved_for=reserved_for, at=NOW, **changes
    )


@pytest.mark.django_db
class TestReserving:
    def test_the_best_spare_is_promised_and_written_down(self) -> None:
        rack = domain("rack", "r1")
        source, far = node("n1", domains=(rack,)), node("a", is_spare=True)
        near = node("z", is_spare=True, domains=(rack,))
        healthy(source, far, near)
        taken = reserve(source)
        assert (taken.id, taken.reserved_for) == (near.id, "swap:1")
        event = NodeEvent.objects.filter(kind="spare").get()
        assert (event.node_id, event.before, event.after) == (near.id, "ready", "swap:1")

    def test_the_same_purpose_gets_the_same_spare_again(self) -> None:
        source, spares = node("n1"), [node(f"s{n}", is_spare=True) for n in range(2)]
        healthy(source, *spares)
        assert reserve(source).id == reserve(source).id
        assert Node.objects.exclude(reserved_for=None).count() == 1

    def test_another_purpose_gets_another_one_until_there_is_none(self) -> None:
        source, spares = node("n1"), [node(f"s{n}", is_spare=True) for n in range(2)]
        healthy(source, *spares)
        assert [reserve(source, f"swap:{n}").name for n in range(2)] == ["s0", "s1"]
        with pytest.raises(SpareMissing, match="s0: it is reserved for swap:0") as missing:
            reserve(source, "swap:2")
        assert missing.value.extra["spares"][0]["name"] == "s0"

    def test_a_named_spare_or_none(self) -> None:
        source, spares = node("n1"), [node(f"s{n}", is_spare=True) for n in range(2)]
        healthy(source, *spares)
        assert reserve(source, only_node_id=spares[1].id).name == "s1"
        with pytest.raises(SpareMissing):
            reserve(source, "swap:2", only_node_id=spares[1].id)

    def test_a_spare_whose_report_is_stale_or_never_came_is_not_taken(self) -> None:
        source, silent = node("n1"), node("s1", is_spare=True)
        with pytest.raises(SpareMissing, match="its grade is unknown"):
            reserve(source)
        healthy(silent)
        question = SpareQuestion(node_id=source.id)
        assert spares_ranked(question=question, now=at(14))[0].refusal is None
        assert spares_ranked(question=question, now=at(15))[0].refusal == "its grade is unknown"

    def test_spares_of_another_tenant_class_or_state_are_not_taken(self) -> None:
        source = node("n1")
        other = node("s1", is_spare=True, tenant=tenant("borealis"))
        broken = node("s2", is_spare=True, state="quarantined")
        bigger = node("s3", is_spare=True, node_class=node_class("hgx", 8))
        healthy(other, broken, bigger)
        with pytest.raises(SpareMissing) as missing:
            reserve(source)
        assert {each["name"] for each in missing.value.extra["spares"]} == {"s2", "s3"}

    def test_the_newcomer_keeps_away_from_what_protects_the_rank(self) -> None:
        r1, r2 = domain("rack", "r1"), domain("rack", "r2")
        source, mirror = node("n1", domains=(r1,)), node("n2", domains=(r1,))
        near, far = (
            node("s1", is_spare=True, domains=(r1,)),
            node("s2", is_spare=True, domains=(r2,)),
        )
        healthy(source, mirror, near, far)
        question = SpareQuestion(node_id=source.id, apart_from_ids=frozenset({mirror.id}))
        assert [choice.name for choice in spares_ranked(question=question, now=NOW)] == [
            "s2",
            "s1",
        ]


@pytest.mark.django_db
class TestRaces:
    """Somebody else is quicker between the choice and the promise."""

    @staticmethod
    def steal(monkeypatch: pytest.MonkeyPatch, reserved_for: str) -> None:
        """Let another reservation take the best spare as soon as it has been chosen."""

        def ranked_then_stolen(*, question: SpareQuestion, now: datetime) -> Any:
            choices = spares_ranked(question=question, now=now)
            Node.objects.filter(id=choices[0].id).update(reserved_for=reserved_for)
            return choices

        monkeypatch.setattr("apps.fleet.services.spares.spares_ranked", ranked_then_stolen)

    def test_a_spare_that_goes_to_something_else_leaves_the_next_one(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        source, spares = node("n1"), [node(f"s{n}", is_spare=True) for n in range(2)]
        healthy(source, *spares)
        self.steal(monkeypatch, "swap:9")
        assert reserve(source).name == "s1"

    def test_a_spare_that_was_promised_to_the_same_meanwhile_is_the_one(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        source, spares = node("n1"), [node(f"s{n}", is_spare=True) for n in range(2)]
        healthy(source, *spares)
        self.steal(monkeypatch, "swap:1")
        assert reserve(source, "swap:1").name == "s0"
        assert Node.objects.exclude(reserved_for=None).count() == 1


@pytest.mark.django_db
class TestAfterwards:
    def test_a_spare_is_given_back_once(self) -> None:
        source, spare = node("n1"), node("s1", is_spare=True)
        healthy(source, spare)
        reserve(source)
        freed = spare_release(reserved_for="swap:1", at=NOW)
        assert freed is not None
        assert spare_release(reserved_for="swap:1", at=NOW) is None
        assert reserve(source, "swap:2").id == spare.id

    def test_a_spare_that_is_used_is_a_spare_no_more(self) -> None:
        source, spare = node("n1"), node("s1", is_spare=True)
        healthy(source, spare)
        reserve(source)
        used = spare_use(reserved_for="swap:1", at=NOW)
        assert used is not None
        spare.refresh_from_db()
        assert (spare.is_spare, spare.reserved_for) == (False, None)
        assert spare_use(reserved_for="swap:1", at=NOW) is None

    def test_a_person_who_keeps_a_node_as_spare_is_in_the_audit(self) -> None:
        n1 = node()
        actor = an_actor("otto", Role.OPERATOR)
        assert node_spare_set(node_id=n1.id, is_spare=True, actor=actor, at=NOW).is_spare
        assert AuditEntry.objects.get(subject=f"node:{n1.id}").action == "node.spare"

    def test_a_reserved_spare_is_not_put_to_work(self) -> None:
        n1 = node(is_spare=True, reserved_for="swap:1")
        with pytest.raises(NodeOccupied):
            node_spare_set(node_id=n1.id, is_spare=False, actor=SYSTEM, at=NOW)


class Reservations(RuleBasedStateMachine):
    """Whatever is reserved, released and used: a purpose holds one spare, a spare one purpose."""

    purposes = Bundle("purposes")

    def __init__(self) -> None:
        """Begin with three spares."""
        super().__init__()
        Node.objects.all().delete()
        self.source = node("n1")
        spares = [node(f"s{n}", is_spare=True) for n in range(3)]
        healthy(self.source, *spares)
        self.held: dict[str, str] = {}
        self.left = 3

    @rule(target=purposes, number=st.integers(0, 4))
    def name(self, number: int) -> str:
        return f"swap:{number}"

    @rule(purpose=purposes)
    def reserve(self, purpose: str) -> None:
        possible = purpose in self.held or len(self.held) < self.left
        try:
            taken = reserve(self.source, purpose)
        except SpareMissing:
            assert not possible
            return
        assert possible
        assert self.held.setdefault(purpose, taken.name) == taken.name

    @rule(purpose=purposes)
    def release(self, purpose: str) -> None:
        freed = spare_release(reserved_for=purpose, at=NOW)
        assert (freed.name if freed else None) == self.held.pop(purpose, None)

    @rule(purpose=purposes)
    def use(self, purpose: str) -> None:
        used = spare_use(reserved_for=purpose, at=NOW)
        assert (used.name if used else None) == self.held.pop(purpose, None)
        self.left -= used is not None

    @invariant()
    def the_rows_say_the_same(self) -> None:
        rows = Node.objects.exclude(reserved_for=None).values_list("reserved_for", "name")
        assert dict(rows) == self.held
        assert Node.objects.filter(is_spare=True).count() == self.left


@pytest.mark.django_db
def test_reservations_stay_consistent_whatever_is_done() -> None:
    run_state_machine_as_test(
        Reservations, settings=hypothesis_settings(max_examples=15, stateful_step_count=15)
    )
