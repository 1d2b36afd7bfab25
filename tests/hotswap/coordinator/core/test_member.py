"""One member's part: its ballots, what it obeys, and what it refuses."""

from collections.abc import Iterable

import pytest

from hotswap.coordinator.core import member_effects as effects
from hotswap.coordinator.core.member import MemberCore
from hotswap.coordinator.core.member_values import Ballot, Identity, MemberPhase
from hotswap.wire import messages
from hotswap.wire.messages import Message, Seat
from tests.hotswap.coordinator.core.leading import endpoint

ROSTER = tuple(Seat(rank=r, member=n, endpoint=endpoint(n)) for r, n in enumerate(("r0", "r1")))
SWAPPED = (ROSTER[0], Seat(rank=1, member="s0", endpoint=endpoint("s0")))


def member(name: str) -> MemberCore:
    """Return a member that has just connected."""
    core = MemberCore(identity=Identity(job="job", name=name, pid=1, endpoint=endpoint(name)))
    core.on_command(messages.Welcome(token=1, leader="c0", world_size=2))
    return core


def start(epoch: int, committed: int, **fields: object) -> messages.Start:
    """Return a Start."""
    said: dict[str, object] = {
        "token": 1,
        "epoch": epoch,
        "roster": ROSTER,
        "committed": committed,
        "store": endpoint("r0"),
    }
    return messages.Start(**(said | fields))  # type: ignore[arg-type]  # checked by msgspec


def running(name: str = "r0") -> MemberCore:
    """Return an owner in epoch 1."""
    core = member(name)
    core.on_command(start(1, 0))
    return core


def voted(core: MemberCore, *, next_epoch: int = 1, mirrors: Iterable[str] = ()) -> list[str]:
    """Let a member vote on its next step, unanimously; return what it does."""
    assert core.gradients_acknowledged(step=core.committed, mirrors=frozenset(mirrors))
    assert core.ballot() is not None
    epoch = core.epoch
    return names(core.on_vote(epoch=epoch, ready=True, next_epoch=next_epoch, ended_s=1.0))


def names(done: Iterable[effects.MemberEffect]) -> list[str]:
    """Return what effects are, messages by their own names."""
    return [
        type(effect.message if isinstance(effect, effects.Send) else effect).__name__
        for effect in done
    ]


def sent(done: Iterable[effects.MemberEffect]) -> list[Message]:
    """Return the messages among effects."""
    return [effect.message for effect in done if isinstance(effect, effects.Send)]


def armed(name: str) -> MemberCore:
    """Return an owner that votes for the swap of rank 1 to s0."""
    core = running(name)
    core.on_command(
        messages.BindNext(token=1, swap="x", epoch=2, roster=SWAPPED, store=endpoint("r0"))
    )
    core.bound(2)
    core.on_command(messages.Arm(token=1, swap="x", epoch=2, rank=1, target="s0"))
    return core


def test_a_ballot_is_ready_only_for_gradients_that_are_held() -> None:
    core = running()
    assert core.ballot() == Ballot(ready=False, epoch=1, next_epoch=1)
    core.gradients_acknowledged(step=0, mirrors=frozenset())
    assert core.ballot() == Ballot(ready=True, epoch=1, next_epoch=1)


def test_a_step_is_applied_after_a_unanimous_vote_and_only_once() -> None:
    core = running()
    assert voted(core) == ["Apply", "CommitMirrors"]
    assert core.committed == 1
    assert core.on_vote(epoch=1, ready=True, next_epoch=1, ended_s=1.0) == []


def test_a_vote_that_was_not_unanimous_discards_the_step() -> None:
    core = running()
    core.gradients_acknowledged(step=0, mirrors=frozenset())
    core.ballot()
    assert names(core.on_vote(epoch=1, ready=False, next_epoch=1, ended_s=1.0)) == ["Discard"]
    assert core.committed == 0


def test_the_result_of_a_vote_of_a_dead_epoch_is_ignored() -> None:
    core = running()
    core.gradients_acknowledged(step=0, mirrors=frozenset())
    core.ballot()
    done = core.on_command(messages.EpochDead(token=1, epoch=1, reason="r1 is lost"))
    assert names(done) == ["Abandon", "Unwound"]
    assert core.on_vote(epoch=1, ready=True, next_epoch=1, ended_s=1.0) == []
    assert core.ballot() is None


def test_the_report_is_repeated_and_says_what_is_held() -> None:
    core = running()
    core.gradients_acknowledged(step=0, mirrors=frozenset())
    dead = messages.EpochDead(token=1, epoch=3, reason="")
    (first,) = sent(core.on_command(dead))
    assert sent(core.on_command(dead)) == [first]
    assert isinstance(first, messages.Unwound)
    assert (first.epoch, first.last_epoch) == (3, 1)
    assert (first.holdings[0].version, first.holdings[0].pending) == (0, True)


@pytest.mark.parametrize(
    ("target", "expected"),
    [(0, ["Discard", "Bind"]), (1, ["RollForward", "CommitMirrors", "Bind"])],
)
def test_the_next_epoch_says_what_becomes_of_the_step(target: int, expected: list[str]) -> None:
    core = running()
    core.gradients_acknowledged(step=0, mirrors=frozenset())
    core.on_command(messages.EpochDead(token=1, epoch=1, reason=""))
    assert names(core.on_command(start(2, target))) == expected
    assert (core.committed, core.epoch, core.running) == (target, 2, True)
    assert core.on_command(start(2, target)) == []


def test_a_member_never_goes_on_from_another_state() -> None:
    core = running()
    core.on_command(messages.EpochDead(token=1, epoch=1, reason=""))
    (left,) = core.on_command(start(2, 5))
    assert isinstance(left, effects.Leave)
    assert left.code == "state_unreachable"
    assert core.phase is MemberPhase.GONE


def test_an_owner_that_is_left_out_is_fenced_off() -> None:
    core = running("r1")
    core.on_command(messages.EpochDead(token=1, epoch=1, reason=""))
    (left,) = core.on_command(start(2, 0, roster=SWAPPED))
    assert isinstance(left, effects.Leave)
    assert left.code == "fenced_off"


def test_commands_of_a_former_leader_are_ignored() -> None:
    core = running()
    core.on_command(messages.Welcome(token=2, leader="c1", world_size=2))
    assert core.on_command(messages.EpochDead(token=1, epoch=1, reason="")) == []
    assert core.running


def test_a_standby_becomes_owner_from_its_copy_and_applies_what_is_pending() -> None:
    core = member("s0")
    mirror = core.mirror(1)
    mirror.describe(epoch=1, version=4)
    mirror.copied(epoch=1, complete=True)
    mirror.gradients(epoch=1, step=4)
    core.on_command(messages.EpochDead(token=1, epoch=1, reason=""))
    done = core.on_command(start(2, 5, roster=SWAPPED, takeovers={1: "t"}))
    owned = done[0]
    assert isinstance(owned, effects.BecomeOwner)
    assert (owned.rank, owned.version, owned.apply_pending, owned.fresh) == (1, 5, True, False)
    assert owned.swap == "t"
    assert 1 not in core.mirrors


def test_the_epoch_s_death_seals_what_is_mirrored() -> None:
    core = member("s0")
    core.mirror(1).describe(epoch=1, version=4)
    core.on_command(messages.EpochDead(token=1, epoch=3, reason=""))
    assert not core.mirror(1).admits(3)
    assert core.mirror(1).admits(4)
    assert not core.mirror(0).admits(3)


def test_a_switch_takes_force_at_the_boundary_behind_the_vote() -> None:
    core = armed("r0")
    assert voted(core, next_epoch=2) == ["Apply", "CommitMirrors"]
    assert core.epoch == 1
    done = core.at_boundary()
    assert names(done) == ["Switch", "Switched"]
    assert core.epoch == 2
    assert core.at_boundary() == []


def test_the_owner_of_the_swapped_rank_offers_it_only_when_the_target_holds_the_step() -> None:
    core = armed("r1")
    core.gradients_acknowledged(step=0, mirrors=frozenset({"other"}))
    assert core.ballot() == Ballot(ready=True, epoch=1, next_epoch=1)
    core.gradients_acknowledged(step=0, mirrors=frozenset({"s0"}))
    assert core.ballot() == Ballot(ready=True, epoch=1, next_epoch=2)


def test_it_hands_over_and_keeps_its_state_until_it_is_released() -> None:
    core = armed("r1")
    done = voted(core, next_epoch=2, mirrors={"s0"})
    assert done == ["HandOver", "Apply", "CommitMirrors"]
    assert names(core.at_boundary()) == ["Retire", "Switched"]
    assert [holding.kind for holding in core.holdings()] == ["retired"]
    assert names(core.on_command(messages.Release(token=1))) == ["Leave"]


def test_it_takes_the_rank_back_when_the_newcomer_is_lost() -> None:
    core = armed("r1")
    voted(core, next_epoch=2, mirrors={"s0"})
    core.at_boundary()
    core.on_command(messages.EpochDead(token=1, epoch=2, reason=""))
    assert names(core.on_command(start(3, 1))) == ["Reinstate", "Discard", "Bind"]


def test_the_newcomer_takes_over_once_whoever_says_so_first() -> None:
    core = member("s0")
    core.mirror(1).describe(epoch=1, version=1)
    core.mirror(1).copied(epoch=1, complete=True)
    core.on_command(
        messages.BindNext(token=1, swap="x", epoch=2, roster=SWAPPED, store=endpoint("r0"))
    )
    core.bound(2)
    assert names(core.on_handover(rank=1, epoch=2, version=1)) == ["BecomeOwner", "Switch"]
    assert core.on_command(messages.TakeOver(token=1, epoch=2, rank=1, committed=1)) == []


def test_a_newcomer_whose_groups_are_not_connected_ends_the_epoch() -> None:
    core = member("s0")
    (lost,) = sent(core.on_handover(rank=1, epoch=2, version=1))
    assert isinstance(lost, messages.PeerLost)
    assert lost.epoch == 2


def test_a_swap_is_given_up_only_after_the_open_vote() -> None:
    core = armed("r0")
    core.gradients_acknowledged(step=0, mirrors=frozenset())
    core.ballot()
    disarm = messages.Disarm(token=1, swap="x", epoch=2, reason="")
    assert core.on_command(disarm) == []
    done = core.on_vote(epoch=1, ready=True, next_epoch=1, ended_s=1.0)
    assert names(done) == ["Apply", "CommitMirrors", "DropGroups", "Disarmed"]


def test_a_vote_that_was_unanimous_for_the_switch_beats_a_disarm() -> None:
    core = armed("r0")
    core.gradients_acknowledged(step=0, mirrors=frozenset())
    core.ballot()
    core.on_command(messages.Disarm(token=1, swap="x", epoch=2, reason=""))
    core.on_vote(epoch=1, ready=True, next_epoch=2, ended_s=1.0)
    assert names(core.at_boundary()) == ["Switch", "Switched"]


def test_a_swap_that_was_given_up_is_not_armed_again() -> None:
    core = armed("r0")
    core.on_command(messages.Disarm(token=1, swap="x", epoch=2, reason=""))
    core.on_command(messages.Arm(token=1, swap="x", epoch=2, rank=1, target="s0"))
    core.gradients_acknowledged(step=0, mirrors=frozenset())
    assert core.ballot() == Ballot(ready=True, epoch=1, next_epoch=1)


def test_groups_that_fail_in_advance_cost_the_swap_and_not_the_epoch() -> None:
    core = armed("r0")
    assert names(core.peer_lost(epoch=2, detail="reset")) == ["DropGroups", "PeerLost"]
    core.gradients_acknowledged(step=0, mirrors=frozenset())
    assert core.ballot() == Ballot(ready=True, epoch=1, next_epoch=1)


def test_a_checkpoint_counts_once_it_is_loaded() -> None:
    core = running()
    core.on_command(messages.EpochDead(token=1, epoch=1, reason=""))
    done = core.on_command(start(2, 4, restore_step=4))
    assert names(done) == ["Restore", "Bind"]
    assert not core.holdings()[0].complete
    core.restored(2)
    holding = core.holdings()[0]
    assert (holding.complete, holding.version, holding.since_epoch) == (True, 4, 2)


def test_a_checkpoint_that_can_not_be_loaded_is_reported() -> None:
    core = running()
    core.on_command(messages.EpochDead(token=1, epoch=1, reason=""))
    core.on_command(start(2, 4, restore_step=4))
    (failed,) = sent(core.restore_failed(epoch=2, detail="damaged"))
    assert failed == messages.RestoreFailed(epoch=2, step=4, rank=0, detail="damaged")


def test_mirrors_are_linked_and_dropped_as_assigned() -> None:
    core = running()
    line = messages.Mirroring(rank=0, member="s0", endpoint=endpoint("s0"))
    assigned = messages.AssignMirrors(token=1, revision=2, assignments=(line,))
    (linked,) = core.on_command(assigned)
    assert linked == effects.LinkMirrors(mirrors=(line,))
    assert core.on_command(messages.AssignMirrors(token=1, revision=1, assignments=())) == []
    standby = member("s0")
    standby.on_command(assigned)
    assert set(standby.mirrors) == {0}
    dropped = messages.AssignMirrors(token=1, revision=3, assignments=())
    assert standby.on_command(dropped) == [effects.DropMirror(rank=0)]


def test_whoever_is_fenced_off_leaves_its_epoch_and_the_job() -> None:
    core = running()
    refused = messages.Refused(code="fenced_off", detail="declared lost")
    assert names(core.on_command(refused)) == ["Abandon", "Leave"]
    assert core.on_command(start(2, 0)) == []


def test_hello_tells_a_new_leader_everything() -> None:
    core = running()
    voted(core)
    core.on_command(messages.EpochDead(token=1, epoch=1, reason=""))
    said = core.hello()
    assert (said.epoch, said.rank, said.unwound, said.dead_epoch, said.token) == (1, 0, True, 1, 1)
    assert said.holdings == core.holdings()


def test_a_clone_goes_its_own_way() -> None:
    core = running()
    twin = core.clone()
    assert twin.fingerprint() == core.fingerprint()
    voted(twin)
    twin.mirror(1).describe(epoch=1, version=0)
    assert twin.fingerprint() != core.fingerprint()
    assert (core.committed, core.mirrors) == (0, {})
