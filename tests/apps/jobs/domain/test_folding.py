"""What leaders say becomes what is known."""

from datetime import timedelta

import pytest

from apps.jobs.domain.facts import JobFacts
from apps.jobs.domain.folding import events, fold_notices, fold_status, instant, losses
from tests.apps.jobs.domain.told import NOON, committed, notice, rank, status

NOTHING = JobFacts(world_size=2)


def test_a_committed_step_tells_progress_loss_and_speed() -> None:
    facts = fold_notices(NOTHING, [committed(6, loss=2.5)])
    assert (facts.epoch, facts.committed, facts.loss, facts.step_s) == (1, 7, 2.5, 0.5)
    assert facts.samples_per_s == 16.0


def test_a_loss_that_diverged_is_unknown_and_not_a_number() -> None:
    facts = fold_notices(NOTHING, [committed(6, loss=None), committed(7, loss=float("nan"))])
    assert (facts.committed, facts.loss) == (8, None)


def test_the_validation_loss_of_the_last_step_that_had_one_stays() -> None:
    told = [committed(0, values={"validation_loss": 3.0}), committed(1)]
    assert fold_notices(NOTHING, told).validation_loss == 3.0


def test_a_step_that_is_told_again_later_changes_nothing() -> None:
    facts = fold_notices(NOTHING, [committed(step) for step in range(5)])
    assert fold_notices(facts, [committed(1, loss=9.0)]) == facts


def test_going_back_to_a_checkpoint_takes_back_steps_and_what_they_measured() -> None:
    told = [*(committed(step) for step in range(8))]
    back = notice("restored", step=4, epoch=2, values={"steps_lost": 4.0})
    facts = fold_notices(NOTHING, [*told, back])
    assert (facts.committed, facts.loss, facts.epoch) == (4, None, 2)
    assert facts.productive_s == 2.0


def test_after_a_checkpoint_steps_count_again() -> None:
    told = [committed(7), notice("restored", step=4, epoch=2), committed(4, epoch=2)]
    assert fold_notices(NOTHING, told).committed == 5


def test_goodput_is_the_share_of_time_in_steps_that_count() -> None:
    facts = fold_notices(NOTHING, [committed(step) for step in range(4)])
    assert facts.goodput == 1.0
    late = (NOON + timedelta(seconds=4.5)).isoformat()
    stalled = fold_notices(facts, [committed(4, at=late)])
    assert stalled.goodput == 0.5


def test_a_step_that_stalled_counts_as_one_that_did_not() -> None:
    facts = fold_notices(NOTHING, [committed(step) for step in range(4)])
    late = (NOON + timedelta(seconds=4.5)).isoformat()
    stalled = fold_notices(facts, [committed(4, step_s=3.0, at=late)])
    assert (stalled.productive_s, stalled.goodput) == (2.75, 2.75 / (4.5 + 0.525))


def test_goodput_is_unknown_before_two_commits() -> None:
    assert NOTHING.goodput is None
    assert fold_notices(NOTHING, [committed(0)]).goodput is None


def test_a_snapshot_says_who_owns_what_since_when() -> None:
    facts = fold_status(NOTHING, status(rank(0, "node-0"), rank(1, "node-1"), epoch=3))
    assert [(facts.rank(each).owner, facts.rank(each).owner_since_epoch) for each in (0, 1)] == [
        ("node-0", 3),
        ("node-1", 3),
    ]
    later = fold_status(facts, status(rank(0, "node-0"), rank(1, "standby-0"), epoch=4))
    assert [(later.rank(each).owner, later.rank(each).owner_since_epoch) for each in (0, 1)] == [
        ("node-0", 3),
        ("standby-0", 4),
    ]


def test_a_rank_without_a_member_in_a_snapshot_keeps_its_last_owner() -> None:
    facts = fold_status(NOTHING, status(rank(0, "node-0")))
    lost = fold_status(facts, status(rank(0, None, "unprotected"), phase="unwinding"))
    assert (lost.rank(0).owner, lost.rank(0).protection) == ("node-0", "unprotected")


@pytest.mark.parametrize("kind", ["swap_completed", "unplanned_completed"])
def test_a_hand_over_changes_the_owner_at_once_and_takes_the_standby_away(kind: str) -> None:
    facts = fold_status(
        NOTHING, status(rank(0, "node-0", mirrors=("standby-0",)), standbys=("standby-0",))
    )
    after = fold_notices(facts, [notice(kind, rank=0, member="standby-0", epoch=2)])
    assert after.rank(0).owner == "standby-0"
    assert after.rank(0).owner_since_epoch == 2
    assert after.rank(0).protection == "unknown"
    assert after.standbys == ()


def test_a_hand_over_that_is_known_already_leaves_the_protection_alone() -> None:
    facts = fold_status(NOTHING, status(rank(0, "standby-0"), epoch=2))
    told = notice("swap_completed", rank=0, member="standby-0", epoch=2)
    assert fold_notices(facts, [told]).rank(0).protection == "protected"


def test_protection_is_lost_and_gained_rank_by_rank() -> None:
    facts = fold_status(NOTHING, status(rank(0, "a", lag_steps=1), rank(1, "b", lag_steps=1)))
    facts = fold_notices(facts, [notice("protection_lost", rank=1, member="standby-0")])
    assert [facts.rank(each).protection for each in (0, 1)] == ["protected", "unprotected"]
    assert facts.rank(1).lag_steps is None
    facts = fold_notices(facts, [notice("mirror_complete", rank=1, member="standby-1")])
    assert facts.rank(1).protection == "protected"


def test_what_a_leader_says_after_a_later_one_has_spoken_is_passed_over() -> None:
    facts = fold_notices(NOTHING, [notice("elected", token=2, member="coordinator-1")])
    after = fold_notices(facts, [committed(3, token=1)])
    assert after == facts
    assert fold_status(facts, status(rank(0, "a"), token=1)) == facts
    assert facts.leader == "coordinator-1"


def test_a_snapshot_of_an_older_epoch_is_passed_over() -> None:
    facts = fold_notices(NOTHING, [notice("epoch_started", epoch=5, step=10)])
    assert fold_status(facts, status(rank(0, "a"), epoch=4)) == facts


@pytest.mark.parametrize("kind", ["finished", "failed"])
def test_the_leaders_verdict_ends_the_job(kind: str) -> None:
    facts = fold_notices(NOTHING, [notice(kind, step=20, text="every rank is done")])
    assert (facts.ended, facts.ended_reason) == (kind, "every rank is done")


def test_a_kind_that_is_not_known_changes_nothing_but_the_epoch() -> None:
    facts = fold_notices(NOTHING, [notice("invented_later", epoch=3)])
    assert (facts.epoch, facts.committed) == (3, None)


def test_losses_are_keyed_by_epoch_and_step() -> None:
    told = [committed(4, loss=2.0), committed(4, loss=1.5, epoch=2), notice("elected")]
    assert [(each.epoch, each.step, each.loss) for each in losses(told)] == [
        (1, 4, 2.0),
        (2, 4, 1.5),
    ]


def test_of_one_step_that_is_told_twice_the_later_word_counts() -> None:
    assert [each.loss for each in losses([committed(4, loss=2.0), committed(4, loss=2.1)])] == [2.1]


def test_every_notice_but_a_committed_step_is_an_event() -> None:
    told = [committed(4), notice("member_lost", member="node-1", text="killed", offset=7)]
    assert [(each.kind, each.member, each.offset) for each in events(told)] == [
        ("member_lost", "node-1", 7)
    ]


def test_an_instant_without_an_offset_is_refused() -> None:
    with pytest.raises(ValueError, match="no offset"):
        instant("2026-03-01T12:00:00")
