"""Tests of hotswap.transfer.pace."""

import pytest

from hotswap.transfer.pace import FIRST_NBYTES, CopyPace


def paced(*, nbytes_max: int = 1 << 30) -> CopyPace:
    return CopyPace(share_max=0.1, nbytes_max=nbytes_max)


def test_the_first_slice_is_small_and_what_it_took_sets_the_next() -> None:
    pace = paced()
    pace.arrived(10.0)
    assert pace.budget_nbytes() == FIRST_NBYTES
    pace.copied(FIRST_NBYTES, took_s=0.001)
    pace.left(10.1)
    assert pace.budget_nbytes() == FIRST_NBYTES, "no step has been seen"
    pace.arrived(10.6)
    # a tenth of half a second
    assert pace.budget_nbytes() == pytest.approx(50 * FIRST_NBYTES, rel=1e-6)


def test_time_at_the_boundary_is_no_part_of_a_step() -> None:
    pace = paced()
    pace.copied(1_000_000, took_s=1.0)
    for begun_s, left_s in ((0.0, 5.0), (6.0, 9.0), (11.0, 20.0)):
        pace.arrived(begun_s)
        pace.left(left_s)
    pace.arrived(20.5)
    assert pace.budget_nbytes() == 50_000


def test_a_slice_is_never_larger_than_the_limit() -> None:
    pace = paced(nbytes_max=1_000)
    assert pace.budget_nbytes() == 1_000
    pace.left(0.0)
    pace.arrived(60.0)
    pace.copied(1_000, took_s=1e-6)
    assert pace.budget_nbytes() == 1_000


def test_a_slice_of_which_nothing_is_known_changes_nothing() -> None:
    pace = paced()
    pace.left(0.0)
    pace.arrived(1.0)
    pace.copied(10_000, took_s=0.01)
    before = pace.budget_nbytes()
    pace.copied(0, took_s=1.0)
    pace.copied(10, took_s=0.0)
    assert pace.budget_nbytes() == before == 100_000
