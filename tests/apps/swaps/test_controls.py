"""Brake, blast radius, holds: what keeps a swap from beginning."""

import pytest
from django.db import IntegrityError, transaction

from apps.audit.models import AuditEntry
from apps.core.errors import Invalid
from apps.jobs.models import Command
from apps.swaps.domain.blast import Radius
from apps.swaps.domain.states import Action
from apps.swaps.errors import BrakeEngaged, RankHeld, SwapMoved, SwapOpen, SwapRefused
from apps.swaps.models import Brake, Hold, Swap
from apps.swaps.selectors.controls import held_by
from apps.swaps.services.controls import Wanted, brake_set, hold_release, limits_set
from apps.swaps.services.proposing import Proposal, swap_propose
from apps.swaps.services.transitions import Move, swap_read, transition
from tests.apps.swaps.runtime import Runtime
from tests.apps.swaps.world import World

pytestmark = pytest.mark.django_db

ON = Wanted(engaged=True, reason="Maintenance of the fabric.")
OFF = Wanted(engaged=False)


def brake(world: World, wanted: Wanted) -> Brake | None:
    return brake_set(tenant_id=world.tenant.id, wanted=wanted, actor=world.otto, now=world.now)


def test_a_brake_stops_new_proposals_and_says_who_and_why(world: World) -> None:
    brake(world, ON)
    with pytest.raises(BrakeEngaged) as caught:
        world.propose()
    assert caught.value.extra["engaged_by"]["name"] == "Otto"
    assert caught.value.extra["reason"] == "Maintenance of the fabric."
    brake(world, OFF)
    assert world.propose().state == "proposed"


def test_a_brake_holds_what_was_approved_and_lets_it_go_on_when_released(world: World) -> None:
    swap = world.asked()
    world.approve(swap)
    brake(world, ON)
    swap = world.advance(swap)
    assert (swap.state, Command.objects.count()) == ("approved", 0)
    assert swap.waiting_for.startswith("the brake is on since")
    brake(world, OFF)
    assert world.advance(swap).state == "preparing"


def test_a_brake_does_not_stop_what_has_begun(world: World, runtime: Runtime) -> None:
    swap = world.begun()
    brake(world, ON)
    runtime.take_commands()
    runtime.go_on(7)
    runtime.commit(10)
    runtime.report()
    assert world.advance(swap).state == "completed"


def test_a_brake_takes_a_reason_and_is_engaged_once(world: World) -> None:
    with pytest.raises(Invalid):
        brake(world, Wanted(engaged=True, reason=" "))
    first, second = brake(world, ON), brake(world, ON)
    assert first is not None
    assert first == second
    actions = AuditEntry.objects.filter(action="swap.brake")
    assert actions.count() == 1


def test_one_swap_of_a_job_at_a_time(world: World) -> None:
    first, second = world.asked(2), world.propose(1)
    world.approve(first)
    assert world.advance(first).state == "preparing"
    # the only spare is taken
    assert world.advance(second).state == "proposed"
    other = Swap.objects.filter(id=second.id)
    other.update(
        state="approved",
        plan={},
        plan_digest="sha256:x",
        target_node=world.nodes["n4"],
        target_member="node-3",
    )
    why = held_by(swap=swap_read(second.id))
    assert why == "1 swap is under way in this job, which may have 1 at once"


def test_limits_are_set_per_tenant(world: World) -> None:
    radius = Radius(per_job=2, per_rack=3, per_tenant=4)
    row = limits_set(tenant_id=world.tenant.id, radius=radius, actor=world.otto, now=world.now)
    assert (row.per_job, row.per_rack, row.per_tenant) == (2, 3, 4)
    with pytest.raises(Invalid):
        limits_set(
            tenant_id=world.tenant.id,
            radius=Radius(per_job=0),
            actor=world.otto,
            now=world.now,
        )


def test_a_released_hold_forgives(world: World, runtime: Runtime) -> None:
    for _ in range(3):
        swap = world.begun()
        runtime.take_commands()
        runtime.abort("standby-4 was not ready within prepare_s = 60 s")
        runtime.report()
        world.advance(swap)
    with pytest.raises(RankHeld) as caught:
        world.propose()
    hold = Hold.objects.get()
    assert caught.value.extra == {"hold": str(hold.id), "cause": "not_ready"}
    hold_release(hold_id=hold.id, actor=world.otto, now=world.now)
    assert world.propose().state == "proposed"


def test_one_open_swap_per_rank(world: World) -> None:
    first = world.propose()
    with pytest.raises(SwapOpen) as caught:
        world.propose()
    assert caught.value.extra["swap"] == str(first.id)
    first.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        first.save(force_insert=True)


def test_what_makes_no_sense_is_refused(world: World) -> None:
    def refusal(**wanted: object) -> list[str]:
        fields = {"job_id": world.job.id, "rank": 2, "reason": "x"} | wanted
        with pytest.raises(SwapRefused) as caught:
            swap_propose(
                proposal=Proposal(**fields),  # type: ignore[arg-type] # made of parts
                actor=world.otto,
                now=world.now,
            )
        return [*caught.value.fields]

    assert refusal(rank=4) == ["rank"]
    assert refusal(job_id=world.tenant.id) == ["job"]
    assert refusal(target_node_id=world.tenant.id) == ["target_node"]
    assert refusal(target_node_id=world.nodes["n3"].id) == ["target_node"]
    assert refusal(reason="x" * 1001) == ["reason"]
    type(world.job).objects.update(state="finished")
    assert refusal() == ["job"]


def test_of_two_drivers_one_moves_a_swap(world: World) -> None:
    swap = world.asked()
    one, other = swap_read(swap.id), swap_read(swap.id)
    move = Move(action=Action.EXPIRE, code="test")
    transition(swap=one, move=move, now=world.now)
    with pytest.raises(SwapMoved):
        transition(swap=other, move=move, now=world.now)
    assert swap.events.filter(action="expire").count() == 1


@pytest.mark.parametrize(
    ("changes", "constraint"),
    [
        ({"state": "dreaming"}, "swap_state_known"),
        ({"kind": "magic"}, "swap_kind_known"),
        ({"state": "completed"}, "swap_completed_is_certified"),
        ({"state": "approved", "plan": None}, "swap_approved_has_a_plan"),
    ],
    ids=["state", "kind", "certificate", "plan"],
)
def test_the_database_holds_the_invariants(
    world: World, changes: dict[str, object], constraint: str
) -> None:
    swap = world.propose()
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        Swap.objects.filter(id=swap.id).update(**changes)
    assert constraint in str(caught.value)
