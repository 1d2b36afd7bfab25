"""Tests of hotswap.transfer.buffers."""

import gc

import pytest
import torch
from torch import Tensor

from hotswap.errors import UnsupportedTensor
from hotswap.transfer.buffers import byte_view, dtype_name, host_contiguous


def test_a_view_is_the_tensors_own_memory() -> None:
    tensor = torch.zeros(4, dtype=torch.int32)
    view = byte_view(tensor)
    view[4] = 7
    assert tensor.tolist() == [0, 7, 0, 0]
    assert view.nbytes == 16


def test_a_view_begins_where_a_slice_of_a_larger_tensor_begins() -> None:
    tensor = torch.arange(10, dtype=torch.uint8)[3:6]
    assert bytes(byte_view(tensor)) == bytes([3, 4, 5])


def test_a_view_keeps_the_memory_alive() -> None:
    view = byte_view(torch.full((1024,), 9, dtype=torch.uint8))
    gc.collect()
    torch.zeros(1024, dtype=torch.uint8)
    assert bytes(view) == b"\x09" * 1024


@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0)])
def test_a_tensor_without_elements_has_an_empty_view(shape: tuple[int, ...]) -> None:
    assert byte_view(torch.empty(shape)).nbytes == 0


def test_a_scalar_and_a_parameter_have_views() -> None:
    assert byte_view(torch.tensor(1.0)).nbytes == 4
    assert byte_view(torch.nn.Parameter(torch.ones(2))).nbytes == 8


@pytest.mark.parametrize(
    "tensor",
    [
        pytest.param(torch.zeros(4, 4).t()[1:], id="not contiguous"),
        pytest.param(torch.zeros(2, device="meta"), id="not host memory"),
        pytest.param(torch.zeros(2, dtype=torch.complex64).conj(), id="lazily conjugated"),
        pytest.param(torch.eye(2).to_sparse(), id="sparse"),
    ],
)
def test_what_is_not_plain_memory_has_no_view(tensor: Tensor) -> None:
    with pytest.raises(ValueError, match="contiguous host memory"):
        byte_view(tensor)


def test_contiguous_host_memory_is_not_copied() -> None:
    tensor = torch.zeros(3)
    assert host_contiguous(tensor, name="weight") is tensor


def test_a_copy_is_made_in_row_major_order() -> None:
    tensor = torch.arange(6).reshape(2, 3).t()
    assert host_contiguous(tensor, name="weight").flatten().tolist() == [0, 3, 1, 4, 2, 5]


def test_a_lazy_conjugate_is_carried_out_in_the_copy() -> None:
    tensor = torch.tensor([1 + 2j], dtype=torch.complex64).conj()
    copy = host_contiguous(tensor, name="weight")
    assert not copy.is_conj()
    assert torch.view_as_real(copy).tolist() == [[1.0, -2.0]]


def test_a_sparse_tensor_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedTensor, match="embedding") as caught:
        dtype_name(torch.eye(2).to_sparse(), name="embedding")
    assert caught.value.tensor == "embedding"


def test_a_tensor_subclass_is_refused() -> None:
    class Shard(Tensor):
        pass

    with pytest.raises(UnsupportedTensor, match="local shard"):
        dtype_name(torch.zeros(2).as_subclass(Shard), name="weight")


def test_a_dtype_without_plain_bytes_is_refused() -> None:
    packed = torch.zeros(2, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    with pytest.raises(UnsupportedTensor, match="float4"):
        dtype_name(packed, name="weight")
