"""Memory order and bits of plain tensors."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from hotswap.runtime.capsule.tensors import (
    dtype_name,
    dtype_named,
    in_memory_order,
    local,
    memory_order,
    nbytes_range,
    same_bits,
)


@given(st.lists(st.integers(0, 4), max_size=5), st.randoms())
def test_a_dense_tensor_is_contiguous_in_its_memory_order(shape: list[int], random: object) -> None:
    order = list(range(len(shape)))
    random.shuffle(order)  # type: ignore[attr-defined]  # a random.Random
    values = torch.arange(math.prod(shape), dtype=torch.float32).reshape(shape)
    tensor = values.permute(order)
    found = memory_order(tensor)
    assert found is not None
    assert sorted(found) == list(range(len(shape)))
    ordered = in_memory_order(tensor, found)
    assert ordered.is_contiguous()
    assert torch.equal(ordered.reshape(-1), values.reshape(-1))


def test_channels_last_is_a_memory_order() -> None:
    images = torch.zeros(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    assert memory_order(images) == (0, 2, 3, 1)


@pytest.mark.parametrize(
    "tensor",
    [torch.zeros(4, 4)[:, ::2], torch.zeros(3).expand(2, 3), torch.zeros(6)[::2]],
    ids=["gaps in rows", "overlap", "gaps"],
)
def test_gaps_and_overlaps_have_none(tensor: torch.Tensor) -> None:
    assert memory_order(tensor) is None


def test_a_parameter_is_its_data() -> None:
    parameter = nn.Parameter(torch.randn(3))
    assert type(local(parameter)) is torch.Tensor
    assert local(parameter).data_ptr() == parameter.data_ptr()
    assert not local(parameter).requires_grad


@pytest.mark.parametrize(
    "dtype",
    [
        torch.bool,
        torch.int8,
        torch.bfloat16,
        torch.float16,
        torch.float32,
        torch.float64,
        torch.complex64,
        torch.complex128,
    ],
)
def test_one_flipped_bit_is_another_tensor(dtype: torch.dtype) -> None:
    tensor = torch.ones(3, dtype=dtype)
    other = tensor.clone()
    assert same_bits(tensor, other)
    memory = other.view(torch.uint8)
    memory[-1] ^= 1
    assert not same_bits(tensor, other)


def test_bits_count_and_not_values() -> None:
    nan = torch.tensor([math.nan, 0.0])
    assert same_bits(nan, nan.clone())
    assert not same_bits(torch.tensor([0.0]), torch.tensor([-0.0]))
    assert not same_bits(torch.zeros(2), torch.zeros(2, dtype=torch.int32))
    assert not same_bits(torch.zeros(2), torch.zeros(2, 1))
    assert same_bits(torch.zeros(0, 3), torch.ones(0, 3))
    assert same_bits(torch.tensor(1.5), torch.tensor(1.5))


def test_a_lazy_conjugate_is_compared_as_what_it_stands_for() -> None:
    values = torch.tensor([1 + 2j])
    assert same_bits(values.conj(), torch.tensor([1 - 2j]))


def test_dtypes_have_names() -> None:
    assert dtype_named(dtype_name(torch.bfloat16)) is torch.bfloat16
    assert dtype_named("load") is None
    assert dtype_named("float33") is None


def test_the_range_of_a_tensors_memory() -> None:
    tensor = torch.zeros(8)
    start, end = nbytes_range(tensor[2:5])
    assert (start, end) == (tensor.data_ptr() + 8, tensor.data_ptr() + 20)
