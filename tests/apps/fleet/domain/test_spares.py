from dataclasses import replace
from itertools import permutations
from typing import Any
from uuid import UUID

import pytest

from apps.fleet.domain.grades import Grade
from apps.fleet.domain.spares import (
    SpareFacts,
    SpareWish,
    domains_troubled,
    reserve_from,
    spares_rank,
)
from apps.fleet.domain.states import NodeState

CLASS, RACK, OTHER_RACK, FEED = (UUID(int=n) for n in range(1, 5))
WISH = SpareWish(node_class_id=CLASS, rack_id=RACK)


def spare(name: str, **changes: Any) -> SpareFacts:
    fields: dict[str, Any] = {
        "id": UUID(int=int.from_bytes(name.encode())),
        "name": name,
        "node_class_id": CLASS,
        "state": NodeState.ACTIVE,
        "grade": Grade.LOW,
        "reserved_for": None,
        "rack_id": RACK,
        "domain_ids": frozenset({RACK, FEED}),
    }
    return SpareFacts(**(fields | changes))


def names(wish: SpareWish, *spares: SpareFacts) -> list[str]:
    return [choice.name for choice in spares_rank(wish=wish, spares=spares)]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"state": NodeState.DRAINING}, "it is draining"),
        ({"state": NodeState.QUARANTINED}, "it is quarantined"),
        ({"reserved_for": "swap:1"}, "it is reserved for swap:1"),
        ({"node_class_id": RACK}, "it is of another class"),
        ({"grade": Grade.UNKNOWN}, "its grade is unknown"),
        ({"grade": Grade.HIGH}, "its grade is high"),
        ({"grade": Grade.CRITICAL}, "its grade is critical"),
    ],
)
def test_a_spare_that_cannot_take_over_says_why(changes: dict[str, Any], why: str) -> None:
    choices = spares_rank(wish=WISH, spares=[spare("s1", **changes), spare("s2")])
    assert [(choice.name, choice.refusal) for choice in choices] == [("s2", None), ("s1", why)]


def test_an_excluded_spare_is_not_taken() -> None:
    first = spare("s1")
    wish = replace(WISH, excluded_ids=frozenset({first.id}))
    assert spares_rank(wish=wish, spares=[first])[0].refusal == "it is excluded"


def test_a_domain_in_trouble_weighs_more_than_a_short_way() -> None:
    near = spare("near")
    far = spare("zfar", rack_id=OTHER_RACK, domain_ids=frozenset({OTHER_RACK}))
    assert names(WISH, near, far) == ["near", "zfar"]
    assert names(replace(WISH, troubled_domain_ids=frozenset({FEED})), near, far) == [
        "zfar",
        "near",
    ]


def test_what_protects_the_rank_is_not_lost_together_with_the_newcomer() -> None:
    wish = replace(WISH, avoid_domain_ids=frozenset({RACK}))
    far = spare("zfar", rack_id=OTHER_RACK, domain_ids=frozenset({OTHER_RACK, FEED}))
    choices = spares_rank(wish=wish, spares=[spare("near"), far])
    assert [choice.name for choice in choices] == ["zfar", "near"]
    assert choices[1].drawbacks == ("failure domains shared with what protects the rank: 1",)
    assert choices[0].drawbacks == ("in another rack",)


def test_a_healthy_spare_far_away_goes_before_a_medium_one_nearby() -> None:
    far = spare("zfar", rack_id=None, domain_ids=frozenset())
    assert names(WISH, spare("near", grade=Grade.MEDIUM), far) == ["zfar", "near"]


def test_the_order_does_not_depend_on_the_order_in_which_they_come() -> None:
    spares = [spare("s2"), spare("s10"), spare("s1", grade=Grade.MEDIUM), spare("s3", rack_id=None)]
    orders = {tuple(names(WISH, *each)) for each in permutations(spares)}
    assert orders == {("s2", "s10", "s3", "s1")}


def test_a_domain_with_several_bad_nodes_is_in_trouble() -> None:
    nodes = [UUID(int=n) for n in range(10, 14)]
    domain_ids = {node: frozenset({FEED, RACK if node.int % 2 else OTHER_RACK}) for node in nodes}
    grades = dict(
        zip(nodes, [Grade.HIGH, Grade.CRITICAL, Grade.UNKNOWN, Grade.MEDIUM], strict=True)
    )
    assert domains_troubled(grades=grades, domain_ids=domain_ids) == {FEED}


@pytest.mark.parametrize(
    ("nodes", "ready", "percent", "missing"),
    [(0, 0, None, 0), (1, 0, 0.0, 1), (100, 3, 3.0, 0), (101, 3, 2.97, 1), (1000, 10, 1.0, 20)],
)
def test_the_reserve_is_held_against_its_target(
    nodes: int, ready: int, percent: float | None, missing: int
) -> None:
    reserve = reserve_from(nodes=nodes, ready=ready, reserved=0, unfit=0)
    assert (reserve.percent, reserve.missing) == (percent, missing)
    assert (reserve.target_percent, reserve.target_percent_max) == (3.0, 5.0)
