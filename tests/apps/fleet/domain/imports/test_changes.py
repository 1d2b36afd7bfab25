from dataclasses import replace
from typing import Any

import pytest

from apps.fleet.domain.imports import Fleet, FleetUnreadable, ReadClass, ReadDomain, ReadNode
from apps.fleet.domain.imports.changes import (
    Change,
    FieldChange,
    HeldFleet,
    HeldNode,
    import_plan,
)
from apps.fleet.domain.states import NodeState

NOTHING = HeldFleet(classes={}, domains={}, nodes={})
NODE = ReadNode(name="n1", node_class="c", domains=(("rack", "r1"),))


def held(**changes: Any) -> HeldFleet:
    fields: dict[str, Any] = {
        "ours": True,
        "node_class": "c",
        "address": "",
        "domains": frozenset({("rack", "r1")}),
        "is_spare": False,
        "is_reserved": False,
        "state": NodeState.ACTIVE,
        "firmware": {},
    }
    return HeldFleet(
        classes={"c": ReadClass(name="c", accelerators=8)},
        domains={("rack", "r1"): None},
        nodes={"n1": HeldNode(**(fields | changes))},
    )


def test_everything_is_new_to_an_empty_cluster() -> None:
    plan = import_plan(fleet=Fleet(nodes=(NODE,)), held=NOTHING)
    assert plan.changes == (
        Change(action="add", what="class", name="c"),
        Change(action="add", what="domain", name="rack/r1"),
        Change(action="add", what="node", name="n1"),
    )
    assert plan.classes[0].accelerators is None


def test_a_second_import_changes_nothing() -> None:
    plan = import_plan(fleet=Fleet(nodes=(NODE,)), held=held())
    assert (plan.changes, plan.kept, plan.notes) == ((), 1, ())


def test_what_the_text_leaves_out_stays() -> None:
    bare = ReadNode(name="n1", node_class="c")
    before = held(address="10.0.0.1", is_spare=True, firmware={"bios": "1"})
    assert import_plan(fleet=Fleet(nodes=(bare,)), held=before).changes == ()


def test_a_difference_is_shown_field_by_field() -> None:
    moved = replace(NODE, domains=(("rack", "r2"),), is_spare=True)
    plan = import_plan(fleet=Fleet(nodes=(moved,)), held=held())
    assert plan.changes[-1].fields == (
        FieldChange(name="domains", before="rack/r1", after="rack/r2"),
        FieldChange(name="spare", before="no", after="yes"),
    )


def test_a_state_is_not_imported_over_ours() -> None:
    drained = replace(NODE, state=NodeState.DRAINING)
    plan = import_plan(fleet=Fleet(nodes=(drained,)), held=held())
    assert plan.changes == ()
    assert plan.notes == ("n1: stays active, the text says draining",)


def test_a_node_of_another_tenant_is_left_alone() -> None:
    plan = import_plan(
        fleet=Fleet(nodes=(replace(NODE, address="10.0.0.9"),)), held=held(ours=False)
    )
    assert (plan.changes, plan.kept) == ((), 0)
    assert plan.notes == ("n1: left out, the name is taken in this cluster",)


def test_a_reserved_spare_stays_one() -> None:
    plan = import_plan(
        fleet=Fleet(nodes=(replace(NODE, is_spare=False),)),
        held=held(is_spare=True, is_reserved=True),
    )
    assert plan.changes == ()
    assert plan.notes == ("n1: stays a spare, it is reserved",)


def test_classes_and_domains_that_others_use_too_are_left_as_they_are() -> None:
    fleet = Fleet(
        classes=(ReadClass(name="c", accelerators=4),),
        domains=(ReadDomain(kind="rack", name="r1", parent=("power", "p1")),),
        nodes=(NODE,),
    )
    plan = import_plan(fleet=fleet, held=held())
    assert plan.changes == ()
    assert plan.notes == (
        "class c: there already, left as it is",
        "domain rack/r1: there already, left where it is",
    )


def test_a_domain_comes_after_the_one_that_it_stands_in() -> None:
    fleet = Fleet(
        domains=(
            ReadDomain(kind="switch", name="s", parent=("rack", "r")),
            ReadDomain(kind="rack", name="r", parent=("power", "p")),
        )
    )
    plan = import_plan(fleet=fleet, held=NOTHING)
    assert [(each.kind, each.name) for each in plan.domains] == [
        ("power", "p"),
        ("rack", "r"),
        ("switch", "s"),
    ]


def test_domains_in_a_circle_are_refused() -> None:
    fleet = Fleet(
        domains=(
            ReadDomain(kind="rack", name="a", parent=("rack", "b")),
            ReadDomain(kind="rack", name="b", parent=("rack", "a")),
        )
    )
    with pytest.raises(FleetUnreadable, match="stands in itself"):
        import_plan(fleet=fleet, held=NOTHING)
