"""A swap from the wish to the certificate, and every way that it can end."""

from typing import Any

import pytest

from apps.approvals.models import Request
from apps.audit.models import AuditEntry
from apps.core.ids import new_id
from apps.core.models import OutboxMessage
from apps.jobs.models import Command
from apps.swaps.errors import RankHeld
from apps.swaps.models import Swap, SwapEvent
from apps.swaps.services import facts_arrived
from apps.swaps.services.driving import swaps_due
from apps.swaps.services.following import job_follow
from apps.swaps.services.proposing import swap_abort
from tests.apps.swaps.runtime import Runtime
from tests.apps.swaps.world import World

pytestmark = pytest.mark.django_db


def states(swap: Swap) -> list[str]:
    """Return the states in their order."""
    moves = swap.events.order_by("sequence").values_list("from_state", "to_state")
    return [after for before, after in moves if before != after]


def test_a_proposal_is_planned_and_asked_about_at_once(world: World) -> None:
    world.grade("n3", "high")
    swap = world.asked()
    assert swap.state == "awaiting_approval"
    assert swap.plan is not None
    assert (swap.plan["source"]["name"], swap.plan["target"]["name"]) == ("n3", "n5")
    assert swap.target_member == "standby-4"
    assert swap.band is not None
    assert (swap.band["series"], swap.band["centre"]) == ("validation_loss", 2.0)
    assert world.node("n5").reserved_for == f"swap:{swap.id}"
    request = Request.objects.get(subject_id=swap.id)
    assert (request.plan_digest, request.state) == (swap.plan_digest, "pending")
    assert request.proposer["name"] == "Otto"
    assert "from n3 (risk high) to n5" in request.summary


def test_the_whole_story(world: World, runtime: Runtime) -> None:
    world.grade("n3", "high")
    swap = world.begun()
    assert swap.state == "preparing"
    runtime.take_commands()
    runtime.go_on(7)
    runtime.report()
    swap = world.advance(swap)
    assert (swap.state, swap.watch_from_step, swap.pause_ms, swap.steps_lost) == (
        "watching",
        24,
        41.5,
        0,
    )
    runtime.commit(10)
    runtime.report()
    swap = world.advance(swap)
    assert states(swap) == [
        "proposed",
        "planned",
        "awaiting_approval",
        "approved",
        "preparing",
        "watching",
        "completed",
    ]
    assert swap.certificate is not None
    assert swap.certificate.swap == "0001-planned-rank-2"
    assert world.node("n3").state == "quarantined"
    assert (world.node("n5").is_spare, world.node("n5").reserved_for) == (False, None)
    request = Request.objects.get(subject_id=swap.id)
    assert request.executed_at is not None
    approved = swap.events.get(action="approve")
    assert approved.actor["name"] == "Ada"
    actions = AuditEntry.objects.filter(subject=f"swap:{swap.id}").order_by("sequence")
    assert [each.action for each in actions if each.action != "swap.told"] == [
        "swap.propose",
        "swap.plan",
        "swap.request_approval",
        "swap.approve",
        "swap.prepare",
        "swap.take_force",
        "swap.complete",
    ]


def test_phases_are_followed_as_they_are_told(world: World, runtime: Runtime) -> None:
    swap = world.begun()
    runtime.take_commands()
    seen = []
    for _ in range(6):
        runtime.report()
        swap = world.advance(swap)
        seen.append((swap.state, swap.runtime_phase))
        runtime.go_on()
    assert seen == [
        ("preparing", "copying"),
        ("preparing", "preparing"),
        ("verifying", "verifying"),
        ("cutting_over", "binding"),
        ("cutting_over", "armed"),
        ("watching", "in_force"),
    ]


def test_a_refusal_gives_the_spare_back(world: World) -> None:
    swap = world.asked()
    world.approve(swap, approve=False)
    swap = world.advance(swap)
    assert swap.state == "refused"
    assert world.node("n5").reserved_for is None
    assert swap.events.get(action="refuse").actor["name"] == "Ada"


def test_what_nobody_decides_expires(world: World) -> None:
    swap = world.asked()
    world.pass_s(3601)
    swap = world.advance(swap)
    assert (swap.state, world.node("n5").reserved_for) == ("expired", None)
    assert Request.objects.get(subject_id=swap.id).state == "void"


def test_an_approval_is_void_when_the_evidence_changes(world: World) -> None:
    world.grade("n3", "high")
    swap = world.asked()
    first = swap.plan_digest
    world.approve(swap)
    world.grade("n3", "critical")
    swap = world.advance(swap)
    assert swap.state == "awaiting_approval"
    assert swap.plan_digest != first
    assert [each.state for each in Request.objects.order_by("id")] == ["void", "pending"]
    assert Command.objects.count() == 0


def test_silence_of_a_node_is_no_change_of_evidence(world: World) -> None:
    world.grade("n3", "high")
    swap = world.asked()
    world.pass_s(60, reporting=False)
    assert world.advance(swap).state == "awaiting_approval"


def test_an_approved_swap_waits_while_the_target_is_silent(world: World) -> None:
    swap = world.asked()
    world.pass_s(60, reporting=False)
    world.approve(swap)
    swap = world.advance(swap)
    assert swap.state == "approved"
    assert swap.waiting_for == "the target has not reported lately: its health is not known"


def test_without_a_spare_a_proposal_waits_and_then_expires(world: World) -> None:
    world.grade("n5", "high")
    swap = world.asked()
    assert swap.state == "proposed"
    assert swap.waiting_for == "the best candidate, n5: the risk of n5 is high"
    world.pass_s(601)
    swap = world.advance(swap)
    assert (swap.state, swap.failure) == (
        "expired",
        {"code": "no_plan", "text": "the best candidate, n5: the risk of n5 is high"},
    )


def test_what_was_not_begun_is_withdrawn_at_once(world: World) -> None:
    swap = world.asked()
    swap_abort(swap_id=swap.id, actor=world.otto, reason="Changed my mind.", now=world.now)
    assert world.swap(swap.id).state == "aborted"
    assert world.node("n5").reserved_for is None
    assert Request.objects.get(subject_id=swap.id).state == "void"


def test_what_was_begun_is_given_up_by_the_coordinator(world: World, runtime: Runtime) -> None:
    swap = world.begun()
    runtime.take_commands()
    runtime.go_on(3)
    runtime.report()
    world.advance(swap)
    swap_abort(swap_id=swap.id, actor=world.otto, reason="Changed my mind.", now=world.now)
    swap = world.advance(swap)
    assert swap.state == "aborting"
    runtime.take_commands()
    runtime.report()
    swap = world.advance(swap)
    assert (swap.state, world.node("n5").reserved_for) == ("aborted", None)
    assert runtime.running is None
    assert world.node("n5").is_spare


def test_giving_up_too_late_goes_on_watching(world: World, runtime: Runtime) -> None:
    swap = world.begun()
    runtime.take_commands()
    runtime.go_on(4)
    runtime.report()
    world.advance(swap)
    swap_abort(swap_id=swap.id, actor=world.otto, reason="", now=world.now)
    world.advance(swap)
    runtime.go_on(1)
    runtime.take_commands()
    runtime.report()
    swap = world.advance(swap)
    assert swap.state == "watching"
    assert not world.node("n5").is_spare


def test_the_coordinators_own_end_fails_the_swap(world: World, runtime: Runtime) -> None:
    swap = world.begun()
    runtime.take_commands()
    runtime.abort("standby-4 was not ready within prepare_s = 60 s")
    runtime.report()
    swap = world.advance(swap)
    assert swap.state == "failed"
    assert swap.failure is not None
    assert swap.failure["code"] == "not_ready"
    assert world.node("n5").reserved_for is None


def test_a_refused_command_fails_the_swap(world: World, runtime: Runtime) -> None:
    swap = world.begun()
    runtime.standbys.clear()
    runtime.take_commands()
    swap = world.advance(swap)
    assert (swap.state, swap.failure) == (
        "failed",
        {"code": "command_refused", "text": "standby-4 is no standby"},
    )


def test_an_agent_that_stays_away_leads_to_a_failure_once_the_command_expires(
    world: World,
) -> None:
    swap = world.begun()
    Command.objects.update(state="expired")
    swap = world.advance(swap)
    assert swap.state == "failed"


def test_a_loss_that_leaves_its_band_is_a_deviation(world: World, runtime: Runtime) -> None:
    swap = world.begun()
    runtime.take_commands()
    runtime.go_on(6)
    runtime.validation_loss = 9.0
    runtime.commit(3)
    runtime.report()
    swap = world.advance(swap)
    assert swap.state == "deviated"
    assert swap.failure is not None
    assert swap.failure["code"] == "band_left"
    # the rank is on its new node all the same
    assert not world.node("n5").is_spare


def test_the_band_is_of_the_losses_before_the_command_however_long_the_approval_took(
    world: World, runtime: Runtime
) -> None:
    swap = world.asked()
    assert swap.band is not None
    assert swap.band["centre"] == 2.0
    runtime.validation_loss = 1.0
    runtime.commit(30)
    runtime.report()
    world.approve(swap)
    swap = world.advance(swap)
    assert swap.state == "preparing"
    assert swap.band is not None
    assert (swap.band["centre"], swap.band["half_width"]) == (1.0, 0.05)
    # what was approved is what it was
    assert swap.plan is not None
    assert swap.plan["watch"]["band"]["centre"] == 2.0
    assert Request.objects.get(subject_id=swap.id).plan_digest == swap.plan_digest
    begun = SwapEvent.objects.get(swap=swap, action="prepare")
    assert begun.detail["band"] == swap.band


def test_a_band_goes_along_with_a_loss_that_falls_while_the_swap_is_made(
    world: World, runtime: Runtime
) -> None:
    """Nobody hears of the job from the command on until long after the watch."""

    def fall(steps: int) -> None:
        for _ in range(steps):
            runtime.validation_loss *= 0.998
            runtime.commit()

    runtime.validation_loss = 4.0
    fall(40)
    runtime.report()
    swap = world.begun()
    registered = swap.band
    assert registered is not None
    runtime.take_commands()
    fall(100)
    runtime.go_on(7)
    fall(300)
    runtime.report()
    swap = world.advance(swap)
    assert (swap.state, swap.failure) == ("completed", None)
    assert swap.band is not None
    # of the same losses, none of which was told after the command
    assert swap.band["line"] == registered["line"]
    assert swap.band["centre"] < registered["centre"]
    assert swap.watch_from_step is not None


def test_completion_takes_the_certificate(world: World, runtime: Runtime) -> None:
    swap = world.begun()
    runtime.take_commands()
    runtime.go_on(7)
    runtime.commit(20)
    runtime.report(certify=False)
    swap = world.advance(swap)
    assert (swap.state, swap.waiting_for) == ("watching", "the certificate has not come yet")
    runtime.report()
    assert world.advance(swap).state == "completed"


def test_a_swap_whose_notices_were_lost_is_seen_by_its_owner(
    world: World, runtime: Runtime
) -> None:
    swap = world.begun()
    runtime.take_commands()
    runtime.go_on(7)
    runtime.forget()
    runtime.report()
    swap = world.advance(swap)
    assert swap.state == "watching"
    assert swap.events.get(action="take_force").detail["code"] == "seen_by_owner"


def test_three_failures_hold_the_rank(world: World, runtime: Runtime) -> None:
    for _ in range(3):
        swap = world.begun()
        runtime.take_commands()
        runtime.abort("standby-4 was not ready within prepare_s = 60 s")
        runtime.report()
        assert world.advance(swap).state == "failed"
    with pytest.raises(RankHeld):
        world.propose()
    told = OutboxMessage.objects.filter(kind="hold.changed").order_by("topic")
    assert [(each.topic, each.payload["released"]) for each in told] == [
        ("live", False),
        ("webhook", False),
    ]
    assert world.propose(1).state == "proposed"


def test_whoever_waits_for_steps_is_looked_at_when_they_arrive(
    world: World, runtime: Runtime
) -> None:
    swap = world.begun()
    runtime.take_commands()
    runtime.go_on(7)
    runtime.report()
    world.advance(swap)
    world.pass_s(1)
    assert swaps_due(now=world.now) == []
    OutboxMessage.objects.all().delete()
    runtime.commit(10)
    runtime.report(keep=True)
    assert swaps_due(now=world.now) == [swap.id]
    (wake,) = OutboxMessage.objects.filter(topic="wake")
    assert (wake.kind, wake.payload) == ("swap_facts", {"job_id": str(world.job.id)})
    job_follow(job_id=world.job.id, now=world.now)
    assert world.swap(swap.id).state == "completed"


def test_steps_wake_the_driver_for_no_other_swap(world: World, runtime: Runtime) -> None:
    world.begun()
    runtime.take_commands()
    runtime.report()
    job_follow(job_id=world.job.id, now=world.now)
    world.pass_s(1)
    OutboxMessage.objects.all().delete()
    runtime.commit(10)
    runtime.report()
    assert swaps_due(now=world.now) == []
    assert not OutboxMessage.objects.filter(topic="wake").exists()


def test_steps_of_many_jobs_cost_one_query_while_none_is_watched(
    world: World, django_assert_num_queries: Any
) -> None:
    world.asked()
    with django_assert_num_queries(1):
        assert (
            facts_arrived(notable=(), stepped=[world.job.id, new_id(), new_id()], at=world.now) == 0
        )
