"""Tests of hotswap.runtime.data.seeds."""

import random
import sys
from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from hotswap.runtime.data.seeds import derive_seed, host_generators, seed_process
from tests.hotswap.runtime.data.datasets import draws

SEEDS = st.integers(min_value=0, max_value=2**64 - 1)


def test_a_seed_is_the_same_on_every_machine_and_in_every_release() -> None:
    assert derive_seed(seed=1234, step=17, rank=3) == 3909865299215518003


@given(st.integers(), st.integers(min_value=0), st.integers(min_value=0))
def test_a_seed_has_64_bits(seed: int, step: int, rank: int) -> None:
    assert 0 <= derive_seed(seed=seed, step=step, rank=rank) < 2**64


def test_no_two_purposes_share_a_seed() -> None:
    numbers = (-1, 0, 1, 11)
    seeds = [
        derive_seed(seed=seed, step=step, rank=rank, micro_batch=micro_batch, stream=stream)
        for seed, step, rank, micro_batch in product(numbers, repeat=4)
        for stream in ("step", "data", "1:data")
    ]
    assert len(set(seeds)) == len(seeds)


@given(SEEDS)
def test_a_seeded_process_draws_the_same_from_every_generator(seed: int) -> None:
    seed_process(seed)
    first = draws()
    draws()
    seed_process(seed)
    assert draws() == first


def test_different_seeds_draw_differently_from_every_generator() -> None:
    seed_process(1)
    first = draws()
    seed_process(2)
    assert all(a != b for a, b in zip(first, draws(), strict=True))


def test_a_process_without_numpy_is_seeded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "numpy")
    seed_process(5)
    first = random.getstate()
    with host_generators(7):
        assert random.getstate() != first
    assert random.getstate() == first
    seed_process(6)
    assert random.getstate() != first
    seed_process(5)
    assert random.getstate() == first


def test_generators_are_put_back_after_use_even_if_it_fails() -> None:
    seed_process(5)
    expected = draws()
    seed_process(5)
    with pytest.raises(ZeroDivisionError):
        _divide_draws_by_zero()
    assert draws() == expected


@given(SEEDS)
def test_generators_seeded_for_a_while_draw_what_a_seeded_process_draws(seed: int) -> None:
    seed_process(seed)
    expected = draws()
    with host_generators(seed):
        assert draws() == expected


def test_a_machine_with_an_accelerator_has_all_its_devices_seeded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seeded: list[int] = []
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)
    monkeypatch.setattr(torch, "manual_seed", seeded.append)
    seed_process(9)
    assert seeded == [9]


def _divide_draws_by_zero() -> None:
    with host_generators(7):
        sum(draws()) / 0
