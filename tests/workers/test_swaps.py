"""Tasks of swaps do what they are sent for; a message too many or too few changes nothing."""

import pytest
from django.db import OperationalError

from apps.core import clock
from apps.core.ids import new_id
from apps.core.models import OutboxMessage
from apps.swaps.models import Swap
from apps.swaps.services import driving
from controlplane import celery_settings
from controlplane.celery import app
from tests.apps.swaps.runtime import Runtime
from tests.apps.swaps.world import World
from workers import policy, reconcile, swaps

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db: None, monkeypatch: pytest.MonkeyPatch) -> World:
    del db
    made = World()
    monkeypatch.setattr(clock, "now", lambda: made.now)
    return made


def test_a_message_makes_the_driver_look(world: World) -> None:
    swap = world.propose()
    wake = OutboxMessage.objects.get(topic="wake", kind="swap_advance")
    swaps.swap_advance_now(**wake.payload)
    assert world.swap(swap.id).state == "awaiting_approval"
    swaps.swap_advance_now(**wake.payload)
    assert Swap.objects.count() == 1


def test_every_message_that_is_put_has_a_task(world: World) -> None:
    runtime = Runtime(world)
    world.begun()
    runtime.take_commands()
    runtime.lose(2)
    runtime.report()
    app.loader.import_default_modules()
    kinds = set(OutboxMessage.objects.filter(topic="wake").values_list("kind", flat=True))
    assert {"swap_advance", "swap_facts"} <= kinds
    assert {f"workers.{kind}" for kind in kinds if kind.startswith("swap")} <= set(app.tasks)


def test_a_message_about_what_is_gone_or_from_a_newer_sender_is_no_fault(world: World) -> None:
    del world
    swaps.swap_advance_now(swap_id=str(new_id()), priority="high")
    swaps.swap_facts(job_id=str(new_id()), since=7)


def test_without_any_message_the_reconciler_comes_to_the_same(world: World) -> None:
    runtime = Runtime(world)
    swap = world.propose()
    reconcile.swaps_reconcile()
    world.approve(world.swap(swap.id))
    world.pass_s(1)
    for _ in range(3):
        reconcile.swaps_reconcile()
        runtime.take_commands()
        runtime.go_on(7)
        runtime.commit(10)
        runtime.report()
        world.pass_s(6)
    reconcile.swaps_reconcile()
    assert world.swap(swap.id).state == "completed"


def test_the_reconciler_takes_losses_in(world: World) -> None:
    runtime = Runtime(world)
    runtime.lose(1)
    runtime.report()
    reconcile.swaps_reconcile()
    assert [swap.state for swap in Swap.objects.all()] == ["watching"]


def test_one_swap_that_cannot_be_driven_holds_up_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, other = world.propose(1), world.propose(2)

    def advance(**wanted: object) -> Swap:
        if wanted["swap_id"] == stuck.id:
            raise OperationalError
        return driving.swap_advance(**wanted)  # type: ignore[arg-type] # as it was called

    monkeypatch.setattr(reconcile, "swap_advance", advance)
    reconcile.swaps_reconcile()
    assert world.swap(stuck.id).state == "proposed"
    assert world.swap(other.id).state == "awaiting_approval"


def test_the_policy_proposes_and_plans_in_one_go(world: World) -> None:
    world.grade("n3", "high")
    policy.policy_evaluate()
    (swap,) = Swap.objects.all()
    assert (swap.rank, swap.state) == (2, "awaiting_approval")


def test_beat_knows_both() -> None:
    app.loader.import_default_modules()
    wanted = {each["task"] for each in celery_settings.beat_schedule.values()}
    assert {"workers.swaps_reconcile", "workers.policy_evaluate"} <= wanted <= set(app.tasks)


def test_what_waits_for_others_has_a_queue_of_its_own_whoever_sends_it() -> None:
    app.loader.import_default_modules()
    names = sorted(name for name in app.tasks if name.startswith("workers."))
    queues = {name: app.amqp.router.route({}, name)["queue"].name for name in names}
    slow = {name for name, queue in queues.items() if queue == "slow"}
    assert set(celery_settings.task_routes) == slow
    assert set(queues.values()) == {"slow", "prompt"}
    assert "workers.webhook_deliver" in slow
    assert queues["workers.swap_advance"] == "prompt"
