"""Owner and mirror are lost together: the job goes back to a checkpoint, and says what it costs."""

from hotswap.coordinator.core import effects
from hotswap.coordinator.core.events import CheckpointFound
from hotswap.coordinator.core.job import JobPhase
from hotswap.wire import messages
from tests.hotswap.coordinator.core.leading import LIMITS, Lead, hello, owned


def bereft() -> Lead:
    """Return a job that has lost rank 1 and its mirror after 7 steps."""
    lead = Lead()
    lead.begin()
    lead.exit("s0")
    for step in range(1, 7):
        lead.commit(step)
    lead.exit("r1")
    lead.unwind("r0", owned(0, 7))
    return lead


def sought(lead: Lead) -> list[int | None]:
    """Return for which checkpoints the leader has looked."""
    return [each.before_step for each in lead.done if isinstance(each, effects.FindCheckpoint)]


def test_without_a_standby_the_job_waits_for_one() -> None:
    lead = bereft()
    assert lead.core.job.phase is JobPhase.WAITING_FOR_STANDBY
    assert sought(lead) == []
    lead.say("s1", hello("s1"))
    lead.unwind("s1", last_epoch=0)
    assert sought(lead) == [None]


def test_the_start_says_what_going_back_costs() -> None:
    lead = bereft()
    lead.say("s1", hello("s1", dead_epoch=1))
    lead.handle(CheckpointFound(step=4))
    (start,) = lead.told(messages.Start, to="s1")
    assert (start.committed, start.restore_step) == (4, 4)
    assert "3 steps are lost" in start.cause
    (restored,) = lead.notices("restored")
    assert (restored.step, restored.values) == (4, {"steps_lost": 3.0})
    assert lead.core.job.committed == 4


def test_a_checkpoint_that_can_not_be_loaded_is_followed_by_an_older_one() -> None:
    lead = bereft()
    lead.say("s1", hello("s1", dead_epoch=1))
    lead.handle(CheckpointFound(step=4))
    lead.say("s1", messages.RestoreFailed(epoch=2, step=4, rank=1, detail="damaged"))
    restored = messages.Holding(rank=0, version=4, pending=False, kind="owner", since_epoch=2)
    failed = messages.Holding(
        rank=1, version=4, pending=False, kind="owner", complete=False, since_epoch=2
    )
    lead.unwind("r0", restored, last_epoch=2)
    lead.unwind("s1", failed, last_epoch=2)
    assert sought(lead) == [None, 4]
    lead.handle(CheckpointFound(step=2))
    assert lead.told(messages.Start, to="r0")[-1].restore_step == 2


def test_copies_from_before_a_restore_are_worthless() -> None:
    lead = bereft()
    lead.say("s1", hello("s1", dead_epoch=1))
    lead.handle(CheckpointFound(step=4))
    lead.say("r0", messages.PeerLost(epoch=2, detail="reset"))
    # r0 has missed the Start, and still holds what was given up
    lead.unwind("r0", owned(0, 7))
    restored = messages.Holding(rank=1, version=4, pending=False, kind="owner", since_epoch=2)
    lead.unwind("s1", restored, last_epoch=2)
    assert sought(lead) == [None, None]


def test_without_a_checkpoint_the_job_has_failed() -> None:
    lead = bereft()
    lead.say("s1", hello("s1", dead_epoch=1))
    lead.handle(CheckpointFound(step=None))
    (failed,) = lead.notices("failed")
    assert "rank 1" in failed.text
    assert "no checkpoint" in failed.text
    assert [over.ok for over in lead.told(messages.Shutdown, to="launcher")] == [False]


def test_the_job_does_not_wait_for_a_standby_for_ever() -> None:
    lead = bereft()
    lead.now += LIMITS.replacement_s
    lead.say("r0", messages.Heartbeat(epoch=1, committed=7))
    lead.wait(0.0)
    assert lead.core.job.phase is JobPhase.FAILED
    assert "replacement_s" in lead.notices("failed")[0].text


def test_a_standby_that_goes_while_the_checkpoint_is_looked_for_is_waited_for() -> None:
    lead = bereft()
    lead.say("s1", hello("s1", dead_epoch=1))
    lead.disconnect("s1")
    lead.handle(CheckpointFound(step=4))
    assert lead.told(messages.Start) == []
    assert lead.core.job.phase is JobPhase.WAITING_FOR_STANDBY


def test_before_the_first_step_is_committed_any_standby_will_do() -> None:
    lead = Lead()
    lead.lead()
    lead.observe("launcher", "supervisor")
    for rank in range(2):
        lead.say(f"r{rank}", hello(f"r{rank}", wanted_rank=rank))
    lead.exit("r1")
    lead.unwind("r0", owned(0, 0))
    assert lead.core.job.phase is JobPhase.WAITING_FOR_STANDBY
    lead.say("s0", hello("s0", dead_epoch=1))
    start = lead.told(messages.Start, to="s0")[-1]
    assert (start.committed, start.restore_step) == (0, None)
