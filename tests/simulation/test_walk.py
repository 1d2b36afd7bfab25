"""Whole jobs with random delays, crashes, freezes and partitions: the invariants always hold."""

import pytest

from tests.simulation.walk import Walk

#: Simulations in all, and in one test: several workers share them.
SEEDS = 10_000
SEEDS_PER_TEST = 250


@pytest.mark.timeout(300)
@pytest.mark.parametrize("first", range(0, SEEDS, SEEDS_PER_TEST))
def test_the_invariants_hold_in_every_simulation(first: int) -> None:
    """A failing seed is named, and repeated by ``python -m tests.simulation.replay SEED``."""
    for seed in range(first, first + SEEDS_PER_TEST):
        Walk(seed).run()


def test_simulations_see_what_they_are_meant_to_see() -> None:
    """Each kind of event happens in some of the first simulations."""
    seen: set[str] = set()
    for seed in range(300):
        seen |= Walk(seed).run().notices.keys()
    assert seen >= {
        "committed",
        "corruption",
        "elected",
        "epoch_dead",
        "epoch_started",
        "member_lost",
        "mirror_complete",
        "protection_lost",
        "refused",
        "restored",
        "swap_aborted",
        "swap_completed",
        "unplanned_completed",
    }


def test_a_simulation_can_be_repeated() -> None:
    assert Walk(7).run() == Walk(7).run()
    first, second = Walk(11), Walk(11)
    first.run()
    second.run()
    assert first.trace == second.trace
