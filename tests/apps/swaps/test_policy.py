"""The policy proposes what its rule says, and no more."""

import pytest

from apps.swaps.models import Swap
from apps.swaps.services.controls import Wanted, brake_set
from apps.swaps.services.policy import policy_propose
from tests.apps.swaps.world import World

pytestmark = pytest.mark.django_db


def proposed(world: World) -> list[int]:
    policy_propose(now=world.now)
    return [swap.rank for swap in Swap.objects.order_by("id")]


def test_a_healthy_fleet_is_left_alone(world: World) -> None:
    assert proposed(world) == []


@pytest.mark.parametrize("grade", ["high", "critical"])
def test_a_rank_on_a_bad_node_is_to_be_moved(world: World, grade: str) -> None:
    world.grade("n3", grade)
    assert proposed(world) == [2]
    swap = world.advance(Swap.objects.get())
    assert swap.state == "awaiting_approval"
    assert swap.proposer["name"] == "policy 1"
    assert swap.reason.startswith(f"n3 is at {grade} risk: gpu_ecc_uncorrected")
    assert swap.evidence["signals"] == [
        {"name": "gpu_ecc_uncorrected", "grade": grade, "source": "simulated"}
    ]


def test_it_proposes_once(world: World) -> None:
    world.grade("n3", "high")
    proposed(world)
    assert proposed(world) == [2]


def test_a_silent_node_is_no_bad_one(world: World) -> None:
    world.grade("n3", "high")
    world.pass_s(60, reporting=False)
    assert proposed(world) == []


def test_a_bad_spare_carries_no_rank(world: World) -> None:
    world.grade("n5", "critical")
    assert proposed(world) == []


def test_after_a_refusal_it_leaves_the_rank_alone_for_a_while(world: World) -> None:
    world.grade("n3", "high")
    proposed(world)
    swap = world.advance(Swap.objects.get())
    world.approve(swap, approve=False)
    world.advance(swap)
    assert proposed(world) == [2]
    world.pass_s(601)
    assert proposed(world) == [2, 2]


def test_a_brake_stops_it(world: World) -> None:
    world.grade("n3", "high")
    wanted = Wanted(engaged=True, reason="Maintenance.")
    brake_set(tenant_id=world.tenant.id, wanted=wanted, actor=world.otto, now=world.now)
    assert proposed(world) == []
