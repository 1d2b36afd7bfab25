"""The checks can fail: with one rule of the protocol left out, exploration finds a violation."""

from collections.abc import Callable, Mapping

import pytest

from hotswap.coordinator.core import membership, mirrors, recovery
from hotswap.coordinator.core.job import MemberView
from hotswap.coordinator.core.member import MemberCore
from hotswap.coordinator.core.member_step import Effects
from hotswap.coordinator.core.mirror import MirrorCore
from hotswap.coordinator.core.resume import Situation
from hotswap.coordinator.core.turn import Turn
from tests.simulation import runtime
from tests.simulation.begin import begin
from tests.simulation.checks import Violation
from tests.simulation.explore import explore
from tests.simulation.world import World

Patch = Callable[[pytest.MonkeyPatch], None]


def ready_before_the_mirror_holds_the_gradients(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(runtime, "may_cast", lambda node: node is not None)


def applied_before_every_rank_has_voted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(runtime, "is_decided", lambda world, vote: vote in world.ballots)


def a_vote_of_a_dead_epoch_counts(patch: pytest.MonkeyPatch) -> None:
    end = MemberCore._end

    def keep_ballot(self: MemberCore, epoch: int) -> Effects:
        ballot, phase = self._ballot, self.phase
        done = end(self, epoch)
        if ballot is not None:
            self._ballot, self.phase = ballot, phase
        return done[1:] if ballot is not None else done

    patch.setattr(MemberCore, "_end", keep_ballot)


def a_mirror_takes_bundles_of_a_dead_epoch(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(MirrorCore, "admits", lambda self, epoch: epoch >= self.epoch)


def the_job_goes_back_to_the_lowest_step(patch: pytest.MonkeyPatch) -> None:
    def lowest(self: Situation) -> int:
        return min(holding.version for held in self.holdings.values() for holding in held)

    patch.setattr(Situation, "target", lowest)


def nobody_s_report_is_awaited(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(recovery, "_awaited", lambda job: dict.fromkeys(list(job.members)[:1]))
    patch.setattr(recovery, "_silent", lambda _: {})


def nothing_is_saved(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Turn, "persist", lambda *_: None)


def a_former_leader_may_save(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(World, "may_save", lambda world, token: token > 0 and world is not None)


def switched_to_a_newcomer_that_lacks_the_step(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(MemberCore, "_may_switch", lambda self, armed: armed.epoch > self.epoch)


def disarmed_while_a_vote_is_open(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(MemberCore, "_open_for", lambda *_: False)


def an_assignment_overtakes_the_start(patch: pytest.MonkeyPatch) -> None:
    """A member that came back would drop the copy that it is to start from."""
    bring_up_to_date = membership._bring_up_to_date

    def tell_first(turn: Turn, member: MemberView) -> None:
        mirrors._tell(turn, [member.name])
        bring_up_to_date(turn, member)

    patch.setattr(membership, "_bring_up_to_date", tell_first)


#: What is left out, ranks of the job, what happens to it, and how the violation begins.
MUTANTS: list[tuple[Patch, int, Mapping[str, int], str]] = [
    (ready_before_the_mirror_holds_the_gradients, 2, {}, "2:"),
    (applied_before_every_rank_has_voted, 2, {}, "3:"),
    (a_vote_of_a_dead_epoch_counts, 2, {"glitch": 1}, "7:|3:|1:"),
    (a_mirror_takes_bundles_of_a_dead_epoch, 2, {"cut": 1}, "3:"),
    (the_job_goes_back_to_the_lowest_step, 2, {"crash": 1}, "3:"),
    (nobody_s_report_is_awaited, 2, {"crash": 1}, "3:"),
    (nothing_is_saved, 2, {"crash": 2}, "1:|3:"),
    (a_former_leader_may_save, 2, {"usurp": 1, "glitch": 1}, "1:"),
    (an_assignment_overtakes_the_start, 2, {"crash": 2}, "3:"),
    (switched_to_a_newcomer_that_lacks_the_step, 1, {"swap": 1, "slow_mirror": 1}, "3:"),
    (disarmed_while_a_vote_is_open, 1, {"swap": 1, "abort": 1}, "nobody votes for a switch"),
]


@pytest.mark.parametrize(
    ("mutant", "ranks", "budget", "found"), MUTANTS, ids=[mutant[0].__name__ for mutant in MUTANTS]
)
def test_a_rule_that_is_left_out_is_missed(
    mutant: Patch,
    ranks: int,
    budget: Mapping[str, int],
    found: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = begin(World(ranks=ranks, standbys=1, steps=3 if ranks == 1 else 2))
    world.budget = dict(budget)
    mutant(monkeypatch)
    with pytest.raises(Violation, match=rf"^({found})"):
        explore(world, states_max=50_000)


def test_without_a_mutant_there_is_nothing_to_find() -> None:
    world = begin(World(ranks=2, standbys=1, steps=1))
    world.budget = {"crash": 1}
    assert explore(world, states_max=50_000).stuck is None


def test_a_job_that_waits_for_ever_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "has_reported", lambda *_: None)
    world = begin(World(ranks=2, standbys=1, steps=1))
    world.budget = {"crash": 1}
    assert explore(world, states_max=50_000).stuck is not None
