"""A planned swap, from its request to its certificate, and every way in which it is given up."""

import pytest

from hotswap.coordinator.core.job import JobPhase
from hotswap.coordinator.core.planned_state import SwapPhase
from hotswap.wire import messages
from tests.hotswap.coordinator.core.leading import LIMITS, Lead, kinds, mirrored, owned


def requested(*, ranks: int = 2, standbys: int = 1) -> Lead:
    """Return a job whose rank 1 is to be swapped; the target builds the model."""
    lead = Lead(ranks=ranks)
    lead.begin(ranks=ranks, standbys=standbys)
    lead.say("person", messages.SwapRequest(request="a", rank=1, reason="fan is loud"))
    return lead


def swap_id(lead: Lead) -> str:
    """Return the id of the swap under way."""
    swap = lead.core.job.swap
    assert swap is not None
    return swap.id


def verify(lead: Lead, *, mirror: str = "same") -> None:
    """Let owner and mirror digest step 2."""
    lead.say("s0", messages.Prepared(rank=1))
    for name, kind, digest in (("r1", "owner", "same"), ("s0", "mirror", mirror)):
        report = {"swap": swap_id(lead), "rank": 1, "step": 2, "kind": kind, "digest": digest}
        lead.say(name, messages.Verified(**report))  # type: ignore[arg-type]  # a test's shorthand


def armed() -> Lead:
    """Return a job whose owners vote for the swap."""
    lead = requested()
    verify(lead)
    for name in ("r0", "s0"):
        lead.say(name, messages.Bound(epoch=2))
    return lead


def phase(lead: Lead) -> SwapPhase | None:
    """Return where the swap stands."""
    return None if lead.core.job.swap is None else lead.core.job.swap.phase


def test_each_phase_ends_when_what_it_waits_for_is_there() -> None:
    lead = requested()
    assert [told.rank for told in lead.told(messages.Prepare, to="s0")] == [1]
    assert phase(lead) is SwapPhase.PREPARING
    lead.say("s0", messages.Prepared(rank=1))
    assert phase(lead) is SwapPhase.VERIFYING
    assert lead.told(messages.Verify, to="r1")[0].at_step == 2
    verify(lead)
    assert phase(lead) is SwapPhase.BINDING
    (bind,) = lead.told(messages.BindNext, to="r0")
    assert [seat.member for seat in bind.roster] == ["r0", "s0"]
    assert lead.told(messages.BindNext, to="r1") == []
    lead.say("r0", messages.Bound(epoch=2))
    assert lead.told(messages.Arm) == []
    done = kinds(lead.say("s0", messages.Bound(epoch=2)))
    assert done == ["Persist", "Arm"]
    for name in ("r0", "r1", "s0"):
        assert len(lead.told(messages.Arm, to=name)) == 1


def test_the_first_member_that_has_switched_puts_the_swap_in_force() -> None:
    lead = armed()
    done = kinds(
        lead.say("r0", messages.Switched(epoch=2, committed=4, vote_ended_monotonic_s=7.0))
    )
    assert done == ["Persist", "TakeOver"]
    (take_over,) = lead.told(messages.TakeOver, to="s0")
    assert (take_over.epoch, take_over.rank, take_over.committed) == (2, 1, 4)
    assert lead.core.job.owners == {"r0": 0, "s0": 1}


def test_the_former_owner_is_released_once_a_step_was_committed_without_it() -> None:
    lead = armed()
    for name, ended_s in (("r0", 7.0), ("r1", 7.001)):
        lead.say(name, messages.Switched(epoch=2, committed=4, vote_ended_monotonic_s=ended_s))
    for name, begun_s in (("r0", 7.004), ("s0", 7.010)):
        lead.say(name, messages.Resumed(epoch=2, step=4, at_monotonic_s=begun_s))
    assert lead.told(messages.Release) == []
    lead.commit(4)
    assert len(lead.told(messages.Release, to="r1")) == 1
    (completed,) = lead.notices("swap_completed")
    assert (completed.rank, completed.member, completed.step) == (1, "s0", 4)
    assert completed.values["pause_ms"] == pytest.approx(10.0)
    assert completed.values["steps_lost"] == 0
    lead.exit("r1", status=0)
    assert lead.notices("member_lost") == []


def test_the_certificate_holds_both_digests_of_the_switch() -> None:
    lead = armed()
    swap = swap_id(lead)
    lead.say("r1", messages.Switched(epoch=2, committed=4, vote_ended_monotonic_s=7.0))
    digest = messages.Verified(swap=swap, rank=1, step=4, kind="owner", digest="abc")
    lead.say("r1", digest)
    for name in ("r0", "s0"):
        lead.say(name, messages.Switched(epoch=2, committed=4, vote_ended_monotonic_s=7.0))
        lead.say(name, messages.Resumed(epoch=2, step=4, at_monotonic_s=7.1))
    lead.commit(4)
    assert lead.certificates() == []
    taken = messages.Verified(swap=swap, rank=1, step=4, kind="mirror", digest="abc")
    lead.say("s0", taken)
    (certificate,) = lead.certificates()
    record = certificate.record
    assert (record.digest_before, record.digest_after, record.mismatched) == ("abc", "abc", ())
    assert (record.epoch_before, record.epoch_after, record.step) == (1, 2, 4)
    assert set(record.phases) == {"copy", "prepare", "verify", "bind", "armed", "pause"}
    assert (record.kind, record.cause, record.leader) == ("planned", "fan is loud", "c0")


def test_a_mirror_that_differs_ends_the_swap_and_is_reported_as_corruption() -> None:
    lead = requested()
    verify(lead, mirror="other")
    assert phase(lead) is None
    assert lead.told(messages.BindNext) == []
    assert len(lead.notices("corruption")) == 1
    (aborted,) = lead.notices("swap_aborted")
    assert "differ at step 2" in aborted.text


def test_digests_that_do_not_come_are_asked_for_again() -> None:
    lead = requested()
    lead.say("s0", messages.Prepared(rank=1))
    for step in range(1, 12):
        lead.commit(step)
    assert [told.at_step for told in lead.told(messages.Verify, to="r1")] == [2, 11]


def test_a_swap_that_nobody_votes_for_is_given_up_at_once() -> None:
    lead = requested()
    verify(lead)
    lead.say("person", messages.AbortRequest(swap=swap_id(lead)))
    assert phase(lead) is None
    assert len(lead.told(messages.Disarm, to="s0")) == 1
    assert lead.core.job.phase is JobPhase.RUNNING


def test_an_armed_swap_is_given_up_once_one_owner_will_not_vote_for_it() -> None:
    lead = armed()
    swap = swap_id(lead)
    lead.say("person", messages.AbortRequest(swap=swap))
    assert phase(lead) is SwapPhase.DISARMING
    lead.say("s0", messages.Disarmed(swap=swap, epoch=2))
    assert phase(lead) is SwapPhase.DISARMING
    lead.say("r0", messages.Disarmed(swap=swap, epoch=2))
    assert phase(lead) is None
    assert len(lead.notices("swap_aborted")) == 1


def test_an_abort_that_comes_too_late_changes_nothing() -> None:
    lead = armed()
    swap = swap_id(lead)
    lead.say("person", messages.AbortRequest(swap=swap))
    lead.say("r0", messages.Switched(epoch=2, committed=4, vote_ended_monotonic_s=7.0))
    assert phase(lead) is SwapPhase.IN_FORCE
    lead.say("person", messages.AbortRequest(swap=swap))
    assert lead.told(messages.Refused, to="person")[-1].code == "too_late"


@pytest.mark.parametrize(
    ("limit", "prepared"), [("prepare_s", False), ("bind_s", True)], ids=["prepare", "bind"]
)
def test_a_phase_that_takes_too_long_ends_the_swap(limit: str, prepared: bool) -> None:  # noqa: FBT001 - parametrized
    lead = requested()
    if prepared:
        verify(lead)
    lead.now += getattr(LIMITS, limit)
    for name in ("r0", "r1", "s0"):
        lead.say(name, messages.Heartbeat(epoch=0 if name == "s0" else 1, committed=1))
    lead.wait(0.0)
    (aborted,) = lead.notices("swap_aborted")
    assert limit in aborted.text


def test_losing_the_target_costs_the_swap_alone() -> None:
    lead = requested()
    lead.exit("s0")
    assert phase(lead) is None
    assert lead.told(messages.EpochDead) == []


def test_the_reports_tell_whether_an_armed_swap_was_in_force_when_its_epoch_died() -> None:
    lead = armed()
    lead.exit("r1")
    assert [dead.epoch for dead in lead.told(messages.EpochDead, to="r0")] == [2]
    lead.unwind("s0", mirrored(0, 5), mirrored(1, 4, pending=True))
    lead.unwind("r0", owned(0, 5), last_epoch=2)
    (start,) = lead.told(messages.Start)
    assert (start.epoch, start.committed) == (3, 5)
    assert [seat.member for seat in start.roster] == ["r0", "s0"]
    assert len(lead.notices("swap_completed")) == 1


def test_the_former_owner_takes_its_rank_back_when_the_newcomer_is_lost() -> None:
    lead = armed()
    for name in ("r0", "r1"):
        lead.say(name, messages.Switched(epoch=2, committed=4, vote_ended_monotonic_s=7.0))
    lead.exit("s0")
    lead.unwind("r0", owned(0, 4), last_epoch=2)
    retired = messages.Holding(rank=1, version=4, pending=False, kind="retired")
    lead.unwind("r1", retired, last_epoch=2)
    (start,) = lead.told(messages.Start, to="r1")
    assert [seat.member for seat in start.roster] == ["r0", "r1"]
    assert len(lead.notices("swap_aborted")) == 1


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (messages.SwapRequest(request="b", rank=0), "swap_in_progress"),
        (messages.SwapRequest(request="b", rank=9), "unknown_rank"),
    ],
    ids=["second", "unknown rank"],
)
def test_what_can_not_be_done_is_refused(request_: messages.SwapRequest, code: str) -> None:
    lead = requested()
    lead.say("person", request_)
    assert lead.told(messages.Refused, to="person")[-1].code == code


def test_a_swap_needs_a_standby() -> None:
    lead = Lead()
    lead.begin(standbys=0)
    lead.say("person", messages.SwapRequest(request="a", rank=1))
    assert lead.told(messages.Refused, to="person")[0].code == "no_standby"
    lead.say("person", messages.SwapRequest(request="a", rank=1, target="r0"))
    assert lead.told(messages.Refused, to="person")[1].code == "unknown_standby"


def test_a_request_that_is_repeated_is_answered_alike() -> None:
    lead = requested()
    lead.say("person", messages.SwapRequest(request="a", rank=1))
    first, second = lead.told(messages.SwapAccepted, to="person")
    assert first == second


def test_a_standby_builds_in_advance_what_it_is_told() -> None:
    lead = Lead()
    lead.begin()
    lead.say("person", messages.PrepareRequest(rank=1))
    assert [told.rank for told in lead.told(messages.Prepare, to="s0")] == [1]
    lead.say("person", messages.PrepareRequest(rank=1, member="r0"))
    assert lead.told(messages.Refused, to="person")[0].code == "unknown_standby"
