"""A member is lost: how it is noticed, and how the job goes on."""

import sys

import pytest

from hotswap.coordinator.core.job import JobPhase
from hotswap.wire import messages
from tests.hotswap.coordinator.core.leading import LIMITS, Lead, hello, kinds, mirrored, owned


def test_a_job_begins_once_every_rank_has_its_process() -> None:
    lead = Lead()
    lead.lead()
    lead.say("r1", hello("r1", wanted_rank=1))
    assert lead.told(messages.Start) == []
    done = lead.say("r0", hello("r0", wanted_rank=0))
    (start,) = lead.told(messages.Start)
    assert [(seat.rank, seat.member) for seat in start.roster] == [(0, "r0"), (1, "r1")]
    assert (start.epoch, start.committed, start.restore_step) == (1, 0, None)
    assert kinds(done)[1:3] == ["Persist", "Start"]


def test_a_standby_takes_the_rank_of_a_process_that_died_before_the_begin() -> None:
    lead = Lead()
    lead.lead()
    lead.observe("launcher", "supervisor")
    for name, rank in (("r0", 0), ("r1", 1), ("s0", None)):
        if name != "r1":
            lead.say(name, hello(name, wanted_rank=rank))
    lead.say("r1", hello("r1", wanted_rank=1, torch_version="1.0"))
    (refused,) = lead.told(messages.Refused, to="r1")
    assert refused.code == "incompatible_standby"
    lead.say("r2", hello("r2", wanted_rank=1))
    assert lead.core.job.owners == {"r0": 0, "r2": 1}


def test_the_record_is_saved_before_anybody_hears_of_a_loss() -> None:
    lead = Lead()
    lead.begin()
    done = kinds(lead.exit("r1"))
    assert done.index("Persist") < done.index("EpochDead")
    assert lead.record is not None
    assert (lead.record.dead_epoch, lead.record.lost) == (1, ("r1",))


def test_after_a_loss_the_mirror_owns_the_rank_and_the_step_is_rolled_forward() -> None:
    lead = Lead()
    lead.begin()
    lead.exit("r1")
    lead.unwind("r0", owned(0, 2))
    assert lead.told(messages.Start) == []
    lead.unwind("s0", mirrored(0, 1, pending=True), mirrored(1, 1, pending=True))
    (start,) = lead.told(messages.Start, to="s0")
    assert start.committed == 2
    assert [seat.member for seat in start.roster] == ["r0", "s0"]
    assert set(start.takeovers) == {1}


def test_a_closed_connection_is_a_loss_only_after_the_grace() -> None:
    lead = Lead()
    lead.begin()
    lead.disconnect("r1")
    lead.wait(LIMITS.disconnect_grace_s / 2)
    assert lead.told(messages.EpochDead) == []
    lead.say("r1", hello("r1", epoch=1, rank=1, holdings=(owned(1, 1),)))
    lead.wait(LIMITS.disconnect_grace_s)
    assert lead.told(messages.EpochDead) == []
    lead.disconnect("r1")
    lead.wait(LIMITS.disconnect_grace_s)
    assert len(lead.told(messages.EpochDead)) == 1


def test_a_silent_member_is_lost_after_its_lease_and_fenced_off() -> None:
    lead = Lead()
    lead.begin()
    lead.now += LIMITS.lease_s
    for name in ("r0", "s0"):
        lead.say(name, messages.Heartbeat(epoch=1, committed=1))
    lead.wait(0.0)
    (lost,) = lead.notices("member_lost")
    assert lost.member == "r1"
    assert "lease_s" in lost.text
    lead.say("r1", hello("r1", epoch=1, rank=1))
    assert {refused.code for refused in lead.told(messages.Refused, to="r1")} == {"fenced_off"}


def test_a_failed_collective_ends_the_epoch_though_everybody_lives() -> None:
    lead = Lead()
    lead.begin()
    lead.say("r0", messages.PeerLost(epoch=1, detail="reset by peer"))
    lead.unwind("r0", owned(0, 1))
    lead.unwind("r1", owned(1, 1))
    (start,) = lead.told(messages.Start)
    assert (start.epoch, start.committed, start.takeovers) == (2, 1, {})
    lead.say("r0", messages.PeerLost(epoch=1, detail="late"))
    assert lead.core.job.phase is JobPhase.RUNNING


def test_a_job_whose_epochs_all_die_at_once_is_given_up() -> None:
    lead = Lead()
    lead.begin()
    # the first one has committed a step
    for _ in range(1 + LIMITS.barren_epochs_max):
        epoch = lead.core.job.epoch
        lead.say("r0", messages.PeerLost(epoch=epoch, detail="reset"))
        for rank, name in enumerate(("r0", "r1")):
            lead.unwind(name, owned(rank, 1), last_epoch=epoch)
    assert lead.core.job.phase is JobPhase.FAILED
    (failed,) = lead.notices("failed")
    assert "barren_epochs_max" in failed.text
    assert not lead.told(messages.Shutdown, to="r0")[0].ok


def test_a_takeover_is_certified_with_the_times_of_its_phases() -> None:
    lead = Lead()
    lead.begin()
    lead.exit("r1")
    lead.now += 0.010
    lead.unwind("r0", owned(0, 1))
    lead.unwind("s0", mirrored(1, 1))
    lead.now += 0.020
    (start,) = lead.told(messages.Start, to="s0")
    for name in ("r0", "s0"):
        lead.say(name, messages.Resumed(epoch=2, step=1, at_monotonic_s=lead.now))
    (completed,) = lead.notices("unplanned_completed")
    assert completed.values == pytest.approx(
        {"detect_ms": 0, "unwind_ms": 10, "bind_ms": 20, "stall_ms": 30, "steps_lost": 0}
    )
    assert lead.certificates() == []
    lead.say(
        "s0",
        messages.Verified(swap=start.takeovers[1], rank=1, step=1, kind="mirror", digest="abc"),
    )
    (certificate,) = lead.certificates()
    record = certificate.record
    assert (record.kind, record.from_member, record.to_member) == ("unplanned", "r1", "s0")
    assert (record.digest_before, record.digest_after, record.steps_lost) == (None, "abc", 0)


def test_a_certificate_does_not_wait_for_ever_for_its_digest() -> None:
    lead = Lead()
    lead.begin()
    lead.exit("r1")
    lead.unwind("r0", owned(0, 1))
    lead.unwind("s0", mirrored(1, 1))
    lead.commit(1)
    for name in ("r0", "s0"):
        lead.now += LIMITS.certificate_s / 2
        lead.say("r0", messages.Heartbeat(epoch=2, committed=2))
        lead.say("s0", messages.Heartbeat(epoch=2, committed=2))
        lead.wait(0.0)
        assert lead.certificates() == [] or name == "s0"
    (certificate,) = lead.certificates()
    assert certificate.record.digest_after is None


def test_a_certificate_that_is_still_open_is_written_when_the_job_ends() -> None:
    lead = Lead()
    lead.begin()
    lead.exit("r1")
    lead.unwind("r0", owned(0, 1))
    lead.unwind("s0", mirrored(1, 1))
    lead.commit(1)
    assert lead.certificates() == []
    for name in ("r0", "s0"):
        lead.say(name, messages.Finished(epoch=2, committed=2))
    (certificate,) = lead.certificates()
    assert certificate.record.digest_after is None
    assert lead.core.job.phase is JobPhase.FINISHED


def test_a_step_that_one_rank_never_reported_is_told_when_the_job_ends() -> None:
    lead = Lead()
    lead.begin()
    lead.say("r0", messages.Committed(epoch=1, rank=0, step=1, loss=2.0))
    for name in ("r0", "r1"):
        lead.say(name, messages.Finished(epoch=1, committed=2))
    notice = lead.notices("committed")[-1]
    assert (notice.step, notice.values["ranks"]) == (1, 1.0)


def test_a_lost_mirror_costs_the_protection_and_nothing_else() -> None:
    lead = Lead()
    lead.begin()
    lead.exit("s0")
    assert lead.told(messages.EpochDead) == []
    assert {rank.protection for rank in lead.core.status().ranks} == {"unprotected"}
    lead.say("s1", hello("s1"))
    (assigned,) = lead.told(messages.AssignMirrors, to="s1")
    assert [line.rank for line in assigned.assignments] == [0, 1]
    assert {rank.protection for rank in lead.core.status().ranks} == {"catching_up"}
    lead.say("s1", messages.MirrorReport(holding=mirrored(0, 1)))
    assert [rank.protection for rank in lead.core.status().ranks] == ["protected", "catching_up"]


def test_an_owner_that_dropped_a_mirror_is_told_to_try_it_again() -> None:
    lead = Lead()
    lead.begin()
    lead.say("r0", messages.ProtectionLost(rank=0, mirror="s0", reason="no receipt"))
    assert lead.told(messages.AssignMirrors) == []
    lead.now += LIMITS.remirror_s
    for name in ("r0", "r1", "s0"):
        lead.say(name, messages.Heartbeat(epoch=1, committed=1))
    lead.wait(0.0)
    (assigned,) = lead.told(messages.AssignMirrors, to="r0")
    assert [(line.rank, line.member) for line in assigned.assignments] == [(0, "s0")]


def test_a_report_costs_the_same_however_many_members_there_are() -> None:
    def effort(ranks: int) -> int:
        lead = Lead(ranks=ranks)
        lead.begin(ranks=ranks)
        lead.exit("r0")
        calls = 0

        def count(*_: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count)
        lead.unwind("r1", owned(1, 1))
        sys.setprofile(None)
        return calls

    assert effort(4) == effort(400)
