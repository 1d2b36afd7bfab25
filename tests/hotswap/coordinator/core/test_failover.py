"""A leader is gone, or was replaced without noticing: its successor goes on from the record."""

import msgspec

from hotswap.coordinator.core import effects
from hotswap.coordinator.core.events import SaveRefused
from hotswap.coordinator.core.record import Record
from hotswap.wire import messages
from tests.hotswap.coordinator.core.leading import LIMITS, Lead, hello, mirrored, owned
from tests.hotswap.coordinator.core.test_planned import armed, swap_id


def successor(lead: Lead) -> Lead:
    """Return another leader that goes on from what ``lead`` has saved."""
    assert lead.record is not None
    encoded = msgspec.json.encode(lead.record)
    follower = Lead(ranks=lead.core.job.config.world_size, name="c1")
    follower.lead(token=2, record=msgspec.json.decode(encoded, type=Record))
    return follower


def test_a_follower_refuses_who_comes_to_it() -> None:
    lead = Lead()
    lead.say("r0", hello("r0"))
    assert lead.told(messages.Refused, to="r0")[0].code == "not_leader"


def test_the_job_goes_on_while_its_new_leader_hears_from_the_owners() -> None:
    first = Lead()
    first.begin()
    lead = successor(first)
    assert lead.notices("elected")[0].values == {"election_ms": 250.0}
    assert lead.core.status().phase == "recovering"
    for rank, name in enumerate(("r0", "r1")):
        lead.say(name, hello(name, epoch=1, rank=rank, holdings=(owned(rank, 3),)))
    assert lead.core.status().phase == "running"
    assert lead.told(messages.EpochDead) == []
    assert lead.told(messages.Start) == []
    assert lead.core.status().election_s == 0.25


def test_an_owner_that_stays_away_is_lost_after_the_lease() -> None:
    first = Lead()
    first.begin()
    lead = successor(first)
    lead.now += LIMITS.lease_s
    lead.say("r0", hello("r0", epoch=1, rank=0, holdings=(owned(0, 1),)))
    lead.say("s0", hello("s0", holdings=(mirrored(1, 1),)))
    lead.wait(0.0)
    assert [notice.member for notice in lead.notices("member_lost")] == ["r1"]
    assert len(lead.told(messages.EpochDead, to="r0")) == 1


def test_who_has_missed_a_start_hears_it_again_and_no_other() -> None:
    first = Lead()
    first.begin()
    first.say("r0", messages.PeerLost(epoch=1, detail="reset"))
    for rank, name in enumerate(("r0", "r1")):
        first.unwind(name, owned(rank, 1))
    (start,) = first.told(messages.Start)
    lead = successor(first)
    unwound = {"epoch": 1, "unwound": True, "dead_epoch": 1}
    lead.say("r0", hello("r0", rank=0, holdings=(owned(0, 1),), **unwound))
    (again,) = lead.told(messages.Start, to="r0")
    assert again == msgspec.structs.replace(start, token=2)


def test_a_dying_epoch_is_left_under_the_next_leader() -> None:
    first = Lead()
    first.begin()
    first.exit("r1")
    lead = successor(first)
    lead.say("r0", hello("r0", epoch=1, rank=0))
    assert [dead.epoch for dead in lead.told(messages.EpochDead, to="r0")] == [1]
    lead.unwind("r0", owned(0, 1))
    lead.say("s0", hello("s0", dead_epoch=1, holdings=(mirrored(1, 1),)))
    (start,) = lead.told(messages.Start, to="s0")
    assert [seat.member for seat in start.roster] == ["r0", "s0"]
    lead.say("r1", hello("r1", epoch=1, rank=1))
    assert lead.told(messages.Refused, to="r1")[0].code == "fenced_off"


def test_an_armed_swap_is_given_up_unless_it_is_in_force_already() -> None:
    first = armed()
    lead = successor(first)
    for rank, name in enumerate(("r0", "r1")):
        lead.say(name, hello(name, epoch=1, rank=rank))
    (disarm,) = lead.told(messages.Disarm, to="r0")
    assert (disarm.epoch, disarm.token) == (2, 2)
    lead.say("r0", messages.Disarmed(swap=disarm.swap, epoch=2))
    assert len(lead.notices("swap_aborted")) == 1


def test_a_swap_that_took_force_while_nobody_led_is_completed() -> None:
    first = armed()
    swap = swap_id(first)
    lead = successor(first)
    lead.say("r0", hello("r0", epoch=2, rank=0, holdings=(owned(0, 4),)))
    lead.say("s0", hello("s0", holdings=(mirrored(1, 3, pending=True),)))
    take_over = lead.told(messages.TakeOver, to="s0")[-1]
    assert (take_over.epoch, take_over.committed) == (2, 4)
    lead.say("r1", hello("r1", epoch=2, rank=1))
    lead.commit(4)
    assert len(lead.told(messages.Release, to="r1")) == 1
    assert lead.core.job.swap is not None
    assert lead.core.job.swap.id == swap


def test_a_leader_whose_save_is_refused_stops_acting() -> None:
    lead = Lead()
    lead.begin()
    (stopped,) = lead.handle(SaveRefused())
    assert isinstance(stopped, effects.StopLeading)
    assert lead.exit("r1") == []
    assert not lead.core.leading


def test_a_leader_that_a_member_knows_to_be_replaced_stops_acting() -> None:
    lead = Lead()
    lead.begin()
    done = lead.say("r0", hello("r0", token=2, epoch=1, rank=0))
    assert [type(effect) for effect in done] == [effects.StopLeading]


def test_a_job_that_is_over_stays_so() -> None:
    first = Lead()
    first.begin()
    for name in ("r0", "r1"):
        first.say(name, messages.Finished(epoch=1, committed=1))
    assert first.told(messages.Shutdown, to="r0")[0].ok
    lead = successor(first)
    lead.say("s0", hello("s0"))
    assert lead.told(messages.Shutdown, to="s0")[0].ok
    assert lead.say("r0", messages.PeerLost(epoch=1, detail="late")) == []


def test_a_script_that_fails_is_a_loss() -> None:
    lead = Lead()
    lead.begin()
    lead.say("r1", messages.Finished(epoch=1, committed=1, ok=False, detail="KeyError: 'x'"))
    assert "KeyError" in lead.notices("member_lost")[0].text
    assert len(lead.told(messages.EpochDead, to="r0")) == 1


def test_an_owner_that_is_lost_after_its_last_step_is_not_replaced() -> None:
    lead = Lead()
    lead.begin()
    lead.say("r0", messages.Finished(epoch=1, committed=1))
    lead.exit("r0", status=0)
    lead.exit("r1")
    assert lead.told(messages.EpochDead) == []
    (finished,) = lead.notices("finished")
    assert "r1 exited with status -9, after the last step" in finished.text
