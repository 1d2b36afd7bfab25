"""Whole jobs with random delays, crashes, freezes and partitions: the invariants always hold."""

import pytest

from tests.simulation.walk import Walk

SEEDS_PER_TEST = 200
TESTS = 2


@pytest.mark.timeout(300)
@pytest.mark.parametrize("first", range(0, SEEDS_PER_TEST * TESTS, SEEDS_PER_TEST))
def test_the_invariants_hold_in_every_simulation(first: int) -> None:
    """A failing seed is replayed by ``python -m tests.simulation.replay SEED``."""
    for seed in range(first, first + SEEDS_PER_TEST):
        try:
            Walk(seed).run()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
