"""Takeovers after a loss enter the same history, without anybody being asked."""

from datetime import timedelta

import pytest

from apps.jobs.models import Job
from apps.swaps.errors import SwapMoved
from apps.swaps.models import JobCursor, Swap
from apps.swaps.services import takeovers
from apps.swaps.services.controls import Wanted, brake_set
from apps.swaps.services.following import job_follow, jobs_behind
from apps.swaps.services.takeovers import takeovers_record
from apps.swaps.services.transitions import swap_claim
from tests.apps.swaps.runtime import Runtime
from tests.apps.swaps.world import World

pytestmark = pytest.mark.django_db


def history(world: World) -> list[tuple[str, str]]:
    return [(swap.kind, swap.state) for swap in Swap.objects.filter(job=world.job).order_by("id")]


def test_a_lost_owner_opens_a_takeover_that_completes(world: World, runtime: Runtime) -> None:
    runtime.lose(1, complete=False)
    runtime.report()
    job_follow(job_id=world.job.id, now=world.now)
    swap = Swap.objects.get()
    assert (swap.kind, swap.state, swap.rank) == ("unplanned", "taking_over", 1)
    assert (swap.source_member, swap.source_node) == ("node-1", world.nodes["n2"])
    assert swap.plan is not None
    assert swap.plan["policy"]["name"] == "unplanned-takeover"
    runtime.take_over(1)
    runtime.report()
    job_follow(job_id=world.job.id, now=world.now)
    swap = Swap.objects.get()
    assert (swap.state, swap.target_member, swap.target_node) == (
        "watching",
        "standby-4",
        world.nodes["n5"],
    )
    assert (swap.stall_ms, swap.steps_lost) == (190.0, 0)
    runtime.commit(10)
    runtime.report()
    assert world.advance(swap).state == "completed"
    assert not world.node("n5").is_spare


def test_it_is_recorded_once_however_often_it_is_told(world: World, runtime: Runtime) -> None:
    runtime.lose(1)
    runtime.report(keep=True)
    runtime.report()
    for _ in range(3):
        job_follow(job_id=world.job.id, now=world.now)
    assert history(world) == [("unplanned", "watching")]


@pytest.mark.parametrize(("stopped_s", "found"), [(-1, []), (1, [("unplanned", "watching")])])
def test_owners_that_end_because_the_job_is_stopped_are_not_lost(
    world: World, runtime: Runtime, stopped_s: int, found: list[tuple[str, str]]
) -> None:
    Job.objects.update(stop_requested_at=world.now + timedelta(seconds=stopped_s))
    runtime.lose(1)
    runtime.report()
    job_follow(job_id=world.job.id, now=world.now)
    assert history(world) == found


def test_a_brake_does_not_stop_it(world: World, runtime: Runtime) -> None:
    wanted = Wanted(engaged=True, reason="Maintenance of the fabric.")
    brake_set(tenant_id=world.tenant.id, wanted=wanted, actor=world.otto, now=world.now)
    runtime.lose(1)
    runtime.report()
    job_follow(job_id=world.job.id, now=world.now)
    assert history(world) == [("unplanned", "watching")]


@pytest.mark.parametrize("phases", [0, 2, 4], ids=["copying", "verifying", "armed"])
def test_a_swap_that_is_under_way_ends_with_its_source(
    world: World, runtime: Runtime, phases: int
) -> None:
    swap = world.begun()
    runtime.take_commands()
    runtime.go_on(phases)
    runtime.lose(2)
    runtime.report()
    swap = world.advance(swap)
    assert swap.failure is not None
    assert (swap.state, swap.failure["code"]) == ("failed", "source_lost")
    job_follow(job_id=world.job.id, now=world.now)
    assert history(world) == [("planned", "failed"), ("unplanned", "watching")]
    assert world.node("n5").reserved_for is None


def test_a_swap_that_waits_for_approval_is_superseded(world: World, runtime: Runtime) -> None:
    swap = world.asked()
    runtime.lose(2)
    runtime.report()
    job_follow(job_id=world.job.id, now=world.now)
    swap = world.swap(swap.id)
    assert swap.state == "aborted"
    assert swap.events.get(action="withdraw").detail["code"] == "superseded"
    assert history(world) == [("planned", "aborted"), ("unplanned", "watching")]


def test_a_swap_that_another_driver_moves_meanwhile_is_looked_at_again(
    world: World, runtime: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.asked()
    runtime.lose(2)
    runtime.report()
    claims: list[Swap] = []

    def claim(found: Swap) -> None:
        claims.append(found)
        if len(claims) == 1:
            raise SwapMoved
        swap_claim(found)

    monkeypatch.setattr(takeovers, "swap_claim", claim)
    job_follow(job_id=world.job.id, now=world.now)
    assert len(claims) == 2
    assert history(world) == [("planned", "aborted"), ("unplanned", "watching")]


def test_a_loss_of_another_rank_takes_the_spare_and_the_plan_is_made_anew(
    world: World, runtime: Runtime
) -> None:
    swap = world.asked()
    runtime.lose(1)
    runtime.report()
    job_follow(job_id=world.job.id, now=world.now)
    swap = world.swap(swap.id)
    assert swap.state == "proposed"
    assert swap.events.get(action="revise").detail["code"] == "plan_void"


def test_a_newcomer_that_is_lost_while_watched_fails_the_swap(
    world: World, runtime: Runtime
) -> None:
    swap = world.begun()
    runtime.take_commands()
    runtime.go_on(7)
    runtime.report()
    assert world.advance(swap).state == "watching"
    runtime.standbys.append("standby-5")
    world.member(world.job, "standby-5", "n4")
    runtime.lose(2)
    runtime.report()
    job_follow(job_id=world.job.id, now=world.now)
    swap = world.swap(swap.id)
    assert swap.failure is not None
    assert (swap.state, swap.failure["code"]) == ("failed", "target_lost")
    assert history(world) == [("planned", "failed"), ("unplanned", "watching")]


def test_a_former_owner_that_leaves_is_no_loss(world: World, runtime: Runtime) -> None:
    swap = world.begun()
    runtime.take_commands()
    runtime.go_on(6)
    runtime._tell("member_lost", rank=2, member="node-2", text="node-2 exited")
    runtime.report()
    assert world.advance(swap).state == "watching"


def test_a_job_that_fails_ends_its_takeover(world: World, runtime: Runtime) -> None:
    runtime.lose(1, complete=False)
    runtime.report()
    job_follow(job_id=world.job.id, now=world.now)
    world.job.refresh_from_db()
    type(world.job).objects.update(state="failed")
    swap = world.advance(Swap.objects.get())
    assert swap.failure is not None
    assert (swap.state, swap.failure["code"]) == ("failed", "job_ended")


def test_a_takeover_that_only_its_end_tells_of_is_recorded_too(
    world: World, runtime: Runtime
) -> None:
    runtime.lose(1, complete=False)
    runtime.forget()
    runtime.take_over(1)
    runtime.report()
    job_follow(job_id=world.job.id, now=world.now)
    assert history(world) == [("unplanned", "watching")]


def test_events_that_nobody_looked_through_are_found(world: World, runtime: Runtime) -> None:
    assert jobs_behind() == []
    runtime.lose(1)
    runtime.report()
    assert jobs_behind() == [world.job.id]
    assert len(takeovers_record(job_id=world.job.id, now=world.now)) == 2
    assert jobs_behind() == []
    assert JobCursor.objects.get().sequence > 0
