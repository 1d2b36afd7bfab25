"""A driver that dies at any write, in any state, leaves nothing that the next one can't go on from.

For each situation the driver runs once undisturbed. Then it is killed before its first write, its
second, and so on, and another one goes on: both must come to the same history, commands,
reservations and approvals, and the audit chain must verify.
"""

from collections.abc import Callable
from typing import Any

import pytest

from apps.approvals.models import Request
from apps.audit.selectors import audit_verify
from apps.fleet.models import Node
from apps.jobs.models import Command
from apps.swaps.models import Swap, SwapEvent
from apps.swaps.services.driving import swap_advance, swaps_due
from apps.swaps.services.following import job_follow
from apps.swaps.services.proposing import swap_abort
from tests.acceptance_plane.crashing import Killed, killed_at, undone
from tests.apps.swaps.runtime import Runtime
from tests.apps.swaps.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

#: More writes than one run of the driver makes.
WRITES_MAX = 200

Situation = Callable[[World, Runtime], object]


@pytest.fixture
def world(db: None) -> World:
    del db
    return World()


@pytest.fixture
def runtime(world: World) -> Runtime:
    return Runtime(world)


def proposed(world: World, _runtime: Runtime) -> None:
    world.grade("n3", "high")
    world.propose()


def without_a_spare(world: World, _runtime: Runtime) -> None:
    world.grade("n5", "high")
    world.propose()
    world.pass_s(601)


def approved(world: World, _runtime: Runtime) -> None:
    world.approve(world.asked())


def refused(world: World, _runtime: Runtime) -> None:
    world.approve(world.asked(), approve=False)


def undecided(world: World, _runtime: Runtime) -> None:
    world.asked()
    world.pass_s(3601)


def evidence_changed(world: World, _runtime: Runtime) -> None:
    world.approve(world.asked())
    world.grade("n3", "critical")


def told_up_to(phases: int) -> Situation:
    def tell(world: World, runtime: Runtime) -> None:
        world.begun()
        runtime.take_commands()
        runtime.go_on(phases)
        runtime.report()

    return tell


def watched(world: World, runtime: Runtime) -> None:
    world.grade("n3", "high")
    told_up_to(7)(world, runtime)
    drive(world)
    runtime.commit(10)
    runtime.report()


def left_its_band(world: World, runtime: Runtime) -> None:
    told_up_to(7)(world, runtime)
    runtime.validation_loss = 9.0
    runtime.commit(3)
    runtime.report()


def asked_to_abort(world: World, runtime: Runtime) -> None:
    told_up_to(3)(world, runtime)
    drive(world)
    swap = Swap.objects.get()
    swap_abort(swap_id=swap.id, actor=world.otto, reason="Changed my mind.", now=world.now)


def aborted(world: World, runtime: Runtime) -> None:
    asked_to_abort(world, runtime)
    drive(world)
    runtime.take_commands()
    runtime.report()


def given_up(world: World, runtime: Runtime) -> None:
    world.begun()
    runtime.take_commands()
    runtime.abort("standby-4 was not ready within prepare_s = 60 s")
    runtime.report()


def overdue(world: World, runtime: Runtime) -> None:
    told_up_to(2)(world, runtime)
    drive(world)
    world.pass_s(200)


def source_lost(world: World, runtime: Runtime) -> None:
    told_up_to(3)(world, runtime)
    runtime.lose(2)
    runtime.report()


def owner_lost(_world: World, runtime: Runtime) -> None:
    runtime.lose(1)
    runtime.report()


SITUATIONS: dict[str, tuple[Situation, list[str]]] = {
    "proposed": (proposed, ["awaiting_approval"]),
    "proposed, no spare": (without_a_spare, ["expired"]),
    "approved": (approved, ["preparing"]),
    "refused": (refused, ["refused"]),
    "undecided": (undecided, ["expired"]),
    "evidence changed": (evidence_changed, ["awaiting_approval"]),
    "verifying told": (told_up_to(2), ["verifying"]),
    "armed told": (told_up_to(4), ["cutting_over"]),
    "in force told": (told_up_to(5), ["watching"]),
    "watched": (watched, ["completed"]),
    "left its band": (left_its_band, ["deviated"]),
    "asked to abort": (asked_to_abort, ["aborting"]),
    "aborted": (aborted, ["aborted"]),
    "given up": (given_up, ["failed"]),
    "overdue": (overdue, ["aborting"]),
    "source lost": (source_lost, ["failed", "watching"]),
    "owner lost": (owner_lost, ["watching"]),
}


def drive(world: World) -> None:
    """Do what the reconciler does."""
    job_follow(job_id=world.job.id, now=world.now)
    for swap_id in swaps_due(now=world.now):
        swap_advance(swap_id=swap_id, now=world.now)


def outcome(world: World) -> dict[str, Any]:
    """Return what two runs have to agree on."""
    verdict = audit_verify(tenant_id=world.tenant.id)
    assert verdict.ok, verdict
    moves = SwapEvent.objects.order_by("swap__kind", "swap_id", "sequence")
    return {
        "states": [swap.state for swap in Swap.objects.order_by("id")],
        "moves": [*moves.values_list("from_state", "to_state", "action")],
        "commands": sorted(Command.objects.values_list("kind", "state")),
        "nodes": sorted(Node.objects.values_list("name", "state", "is_spare")),
        "reserved": sorted(Node.objects.exclude(reserved_for=None).values_list("name", flat=True)),
        "approvals": sorted(Request.objects.values_list("state", "executed_at")),
        "failures": [swap.failure for swap in Swap.objects.order_by("id")],
    }


@pytest.mark.parametrize("name", SITUATIONS, ids=[each.replace(" ", "_") for each in SITUATIONS])
def test_whoever_comes_next_goes_on(name: str, world: World, runtime: Runtime) -> None:
    situation, expected = SITUATIONS[name]
    situation(world, runtime)
    with undone():
        drive(world)
        undisturbed = outcome(world)
    assert undisturbed["states"] == expected
    for write in range(1, WRITES_MAX):
        with undone():
            died = False
            try:
                with killed_at(write):
                    drive(world)
            except Killed:
                died = True
            drive(world)
            assert outcome(world) == undisturbed, f"killed before write {write}"
        if not died:
            assert write > 1, "the driver wrote something"
            return
    pytest.fail("the driver never came to an end")
