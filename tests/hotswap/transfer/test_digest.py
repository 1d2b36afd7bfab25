"""Tests of hotswap.transfer.digest."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from hotswap.errors import UnsupportedTensor
from hotswap.transfer.buffers import byte_view
from hotswap.transfer.digest import (
    blob_digest,
    checksum,
    differing,
    root_digest,
    tensor_digest,
    tensor_digests,
)

DIGEST_DIGITS = 64
WEIGHT_DIGEST = "ce956ec535e9ff54dd33514e83a150a8f01de99c74c13ca3d5dc804e6e119afd"
BLOB_DIGEST = "6673c0f3277f3e3367d91421f4d42701c45bbdd2c92fefb35a5366632b370921"
ROOT_DIGEST = "161b1db883a78b2025d83201380f499a66b6b6a75d2083184d192da9a1fc4b4a"


def test_digests_of_known_values_never_change() -> None:
    # Certificates and checkpoints of older versions are compared with these for ever.
    tensor = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3)
    digests = {"w": tensor_digest(tensor, name="w"), "s": blob_digest(b"state")}
    assert digests == {"w": WEIGHT_DIGEST, "s": BLOB_DIGEST}
    assert root_digest(digests) == ROOT_DIGEST


def test_a_tensor_and_its_strided_twin_have_the_same_digest() -> None:
    dense = torch.randn(4, 6)
    strided = torch.zeros(6, 8).t()[::2].copy_(dense)
    assert not strided.is_contiguous()
    assert tensor_digest(strided, name="w") == tensor_digest(dense, name="w")


def test_memory_format_does_not_matter() -> None:
    images = torch.randn(2, 3, 4, 4)
    channels_last = images.contiguous(memory_format=torch.channels_last)
    assert tensor_digest(channels_last, name="w") == tensor_digest(images, name="w")


def test_a_parameter_has_the_digest_of_its_data() -> None:
    parameter = torch.nn.Parameter(torch.randn(3))
    assert tensor_digest(parameter, name="w") == tensor_digest(parameter.detach(), name="w")


def test_every_dtype_has_a_digest_of_its_own(every_dtype: dict[str, Tensor]) -> None:
    digests = {tensor_digest(tensor, name="w") for tensor in every_dtype.values()}
    assert len(digests) == len(every_dtype)
    assert {len(digest) for digest in digests} == {DIGEST_DIGITS}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(torch.zeros(8, dtype=torch.int16), id="dtype"),
        pytest.param(torch.zeros(2, 4, dtype=torch.float16), id="shape"),
        pytest.param(torch.zeros(9, dtype=torch.float16), id="length"),
        pytest.param(-torch.zeros(8, dtype=torch.float16), id="sign of zero"),
    ],
)
def test_what_is_not_the_same_tensor_has_another_digest(other: Tensor) -> None:
    tensor = torch.zeros(8, dtype=torch.float16)
    assert tensor_digest(other, name="w") != tensor_digest(tensor, name="w")


def test_the_name_is_part_of_the_digest() -> None:
    assert tensor_digest(torch.zeros(2), name="a") != tensor_digest(torch.zeros(2), name="b")


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0), (1,), (1, 1)])
def test_small_and_empty_shapes_are_told_apart(shape: tuple[int, ...]) -> None:
    digests = {
        tensor_digest(torch.ones(other), name="w") for other in [(), (0,), (0, 3), (3, 0), (1,)]
    }
    known = tensor_digest(torch.ones(shape), name="w") in digests
    assert known == (shape != (1, 1))


def test_not_a_number_equals_itself_bit_by_bit() -> None:
    tensor = torch.tensor([float("nan")])
    assert tensor_digest(tensor, name="w") == tensor_digest(tensor.clone(), name="w")


@given(bit=st.integers(min_value=0, max_value=100 * 32 - 1))
def test_a_single_flipped_bit_changes_digest_and_checksum(bit: int) -> None:
    tensor = torch.arange(100, dtype=torch.float32)
    before = (tensor_digest(tensor, name="w"), checksum(byte_view(tensor)))
    byte_view(tensor)[bit // 8] ^= 1 << bit % 8
    after = (tensor_digest(tensor, name="w"), checksum(byte_view(tensor)))
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_a_tensor_without_plain_bytes_is_refused() -> None:
    with pytest.raises(UnsupportedTensor, match="w"):
        tensor_digest(torch.eye(2).to_sparse(), name="w")


def test_the_order_of_digests_does_not_change_the_root() -> None:
    digests = tensor_digests({"a": torch.zeros(1), "b": torch.ones(1)})
    assert root_digest(dict(reversed(digests.items()))) == root_digest(digests)


def test_the_root_depends_on_every_name_and_digest() -> None:
    digests = {"a": "1" * 64, "b": "2" * 64}
    roots = {
        root_digest(digests),
        root_digest({"a": "2" * 64, "b": "1" * 64}),
        root_digest({"a": "1" * 64}),
        root_digest({}),
    }
    assert len(roots) == 4


def test_a_blob_is_not_a_tensor_of_the_same_bytes() -> None:
    tensor = torch.tensor(list(b"state"), dtype=torch.uint8)
    assert blob_digest(b"state") != tensor_digest(tensor, name="state")


def test_differing_names_what_differs_and_what_one_side_lacks() -> None:
    ours = {"same": "1", "changed": "1", "only_ours": "1"}
    theirs = {"same": "1", "changed": "2", "only_theirs": "1"}
    assert differing(ours, theirs) == ["changed", "only_ours", "only_theirs"]
    assert differing(ours, dict(ours)) == []
