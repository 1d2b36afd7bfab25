"""Tests of hotswap.runtime.garbage."""

import gc
from collections.abc import Iterator

import pytest

from hotswap.runtime import garbage

BEGUN_WITH = gc.get_threshold()


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.enable()
    gc.set_threshold(*BEGUN_WITH)


def test_full_collections_are_put_off_until_the_script_joins() -> None:
    garbage.put_off()
    assert gc.get_threshold()[:2] == BEGUN_WITH[:2]
    assert gc.get_threshold()[2] > 1_000_000
    garbage.keep_all()
    assert gc.get_threshold() == BEGUN_WITH
    assert gc.get_freeze_count() > 0


def test_what_a_script_has_set_stays() -> None:
    garbage.put_off()
    gc.set_threshold(1_000, 20, 30)
    gc.disable()
    garbage.keep_all()
    assert gc.get_threshold() == (1_000, 20, 30)
    assert not gc.isenabled()
