"""Tests of hotswap.checkpoint.staging."""

from pathlib import Path

import pytest
import safetensors.torch
import torch
from torch import Tensor

from hotswap.checkpoint.staging import Staging, plan_slots
from hotswap.errors import UnsupportedTensor
from hotswap.transfer.buffers import DTYPES, byte_view
from hotswap.transfer.manifest import SMALL_STATE


def write(staging: Staging, path: Path, small_state: bytes = b"") -> None:
    path.write_bytes(b"".join(bytes(chunk) for chunk in staging.file_chunks(small_state)))


def every_storable_dtype() -> dict[str, Tensor]:
    tensors = {}
    for index, (name, dtype) in enumerate(DTYPES.items()):
        if dtype is not torch.complex128:
            tensors[name] = torch.zeros(3 + index, dtype=dtype)
            byte_view(tensors[name])[:] = bytes(i % 2 for i in range(tensors[name].nbytes))
    return tensors


def test_the_safetensors_package_reads_what_is_laid_out_here(tmp_path: Path) -> None:
    tensors = {
        **every_storable_dtype(),
        "scalar": torch.tensor(1.5),
        "empty": torch.empty(3, 0),
        'odd "name" ü': torch.ones(1),
    }
    staging = Staging()
    staging.capture(tensors)
    write(staging, tmp_path / "file", b"small")
    loaded = safetensors.torch.load_file(tmp_path / "file", backend="pread")
    assert bytes(loaded.pop(SMALL_STATE).tolist()) == b"small"
    assert loaded.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert (loaded[name].dtype, loaded[name].shape) == (tensor.dtype, tensor.shape)
        assert bytes(byte_view(loaded[name])) == bytes(byte_view(tensor))


def test_the_file_is_laid_out_as_the_package_would_write_it(tmp_path: Path) -> None:
    tensors = {"b": torch.ones(3, dtype=torch.uint8), "a": torch.ones(2), "c": torch.zeros(1)}
    staging = Staging()
    staging.capture(tensors)
    write(staging, tmp_path / "ours", b"")
    theirs = safetensors.torch.save({**tensors, SMALL_STATE: torch.empty(0, dtype=torch.uint8)})
    body = 3 * 4 + 3
    assert (tmp_path / "ours").read_bytes()[-body:] == theirs[-body:]


def test_every_place_is_aligned_and_places_leave_no_gap() -> None:
    slots = plan_slots(every_storable_dtype())
    assert [slot.begin for slot in slots] == [0, *(slot.end for slot in slots[:-1])]
    assert all(slot.begin % DTYPES[slot.dtype].itemsize == 0 for slot in slots)


def test_a_copy_does_not_follow_the_original() -> None:
    tensors = {"w": torch.ones(3)}
    staging = Staging()
    staging.capture(tensors)
    tensors["w"].zero_()
    assert staging.tensors()["w"].tolist() == [1.0] * 3


def test_the_memory_of_the_last_capture_is_used_again() -> None:
    staging = Staging()
    staging.capture({"w": torch.ones(3), "b": torch.zeros(2)})
    before = {name: copy.data_ptr() for name, copy in staging.tensors().items()}
    staging.capture({"b": torch.full((2,), 5.0), "w": torch.zeros(3)})
    assert {name: copy.data_ptr() for name, copy in staging.tensors().items()} == before
    assert staging.tensors()["b"].tolist() == [5.0, 5.0]


def test_a_state_of_another_shape_gets_memory_of_its_own() -> None:
    staging = Staging()
    staging.capture({"w": torch.ones(3)})
    staging.capture({"w": torch.full((5,), 2.0)})
    assert staging.tensors()["w"].tolist() == [2.0] * 5


def test_strided_and_tied_tensors_and_parameters_are_copied() -> None:
    shared = torch.arange(6.0)
    staging = Staging()
    staging.capture(
        {
            "strided": shared.reshape(2, 3).t(),
            "tied": shared,
            "parameter": torch.nn.Parameter(shared),
        }
    )
    copies = staging.tensors()
    assert copies["strided"].tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    assert torch.equal(copies["tied"], shared)
    assert torch.equal(copies["parameter"], shared)


def test_no_tensors_at_all_are_a_file_too(tmp_path: Path) -> None:
    staging = Staging()
    staging.capture({})
    write(staging, tmp_path / "file", b"s")
    assert list(safetensors.torch.load_file(tmp_path / "file")) == [SMALL_STATE]


@pytest.mark.parametrize(
    ("name", "tensor", "problem"),
    [
        ("w", torch.zeros(1, dtype=torch.complex128), "complex128"),
        ("w", torch.eye(2).to_sparse(), "sparse"),
        (SMALL_STATE, torch.zeros(1), "reserved"),
        ("__metadata__", torch.zeros(1), "reserved"),
    ],
)
def test_what_a_file_cannot_hold_is_refused_by_name(
    name: str, tensor: Tensor, problem: str
) -> None:
    with pytest.raises(UnsupportedTensor, match=problem) as caught:
        Staging().capture({name: tensor})
    assert caught.value.tensor == name
