"""The checks can fail: with one rule of the protocol left out, exploration finds a violation."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from hotswap.coordinator.core import recovery, resume
from hotswap.coordinator.core.member import MemberCore
from hotswap.coordinator.core.member_step import Effects
from hotswap.coordinator.core.mirror import MirrorCore
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
    def lowest(*values: Any, default: int = 0) -> int:
        return min(values[0], default=default) if len(values) == 1 else min(values)

    patch.setattr(resume, "max", lowest, raising=False)


def nobody_s_report_is_awaited(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(recovery, "_awaited", lambda job: dict.fromkeys(list(job.members)[:1]))


def nothing_is_saved(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Turn, "persist", lambda *_: None)


def a_former_leader_may_save(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(World, "may_save", lambda world, token: token > 0 and world is not None)


def switched_to_a_newcomer_that_lacks_the_step(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(MemberCore, "_may_switch", lambda self, armed: armed.epoch > self.epoch)


def the_next_epoch_survives_the_death_of_the_present_one(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(MemberCore, "_drop_next", lambda *_, **__: [])


MUTANTS: list[tuple[Patch, Mapping[str, int], str]] = [
    (ready_before_the_mirror_holds_the_gradients, {}, "2:"),
    (applied_before_every_rank_has_voted, {}, "3:"),
    (a_vote_of_a_dead_epoch_counts, {"glitch": 1}, "7:|3:|1:"),
    (a_mirror_takes_bundles_of_a_dead_epoch, {"cut": 1}, "3:"),
    (the_job_goes_back_to_the_lowest_step, {"crash": 1}, "3:"),
    (nobody_s_report_is_awaited, {"crash": 1}, "3:"),
    (nothing_is_saved, {"crash": 2}, "1:|3:"),
    (a_former_leader_may_save, {"usurp": 1, "glitch": 1}, "1:"),
    (switched_to_a_newcomer_that_lacks_the_step, {"swap": 1, "slow_mirror": 1}, "3:"),
]


@pytest.mark.parametrize(
    ("mutant", "budget", "found"), MUTANTS, ids=[mutant.__name__ for mutant, _, _ in MUTANTS]
)
def test_a_rule_that_is_left_out_is_missed(
    mutant: Patch, budget: Mapping[str, int], found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = begin(World(ranks=2, standbys=1, steps=2))
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
