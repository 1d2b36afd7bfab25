"""Tests of hotswap.transfer.manifest."""

import json
from typing import Any

import msgspec
import pytest
import torch
from torch import Tensor

from hotswap.errors import ManifestMalformed, ManifestMismatch, UnsupportedTensor
from hotswap.transfer.digest import root_digest, tensor_digest
from hotswap.transfer.manifest import (
    SMALL_STATE,
    Manifest,
    build_manifest,
    decode_manifest,
    encode_manifest,
    state_digests,
    verify,
)


def units() -> dict[str, Tensor]:
    return {"layer.weight": torch.ones(2, 3), "layer.weight/exp_avg": torch.zeros(2, 3)}


def buffers() -> dict[str, Tensor]:
    return {"norm.running_mean": torch.zeros(3)}


def build(**changes: object) -> Manifest:
    arguments: dict[str, Any] = {
        "job": "gpt",
        "rank": 3,
        "epoch": 2,
        "step": 1204,
        "units": units(),
        "buffers": buffers(),
        "small_state": b"small",
    }
    return build_manifest(**{**arguments, **changes})


def test_a_manifest_says_what_the_state_consists_of() -> None:
    manifest = build()
    assert (manifest.job, manifest.rank, manifest.epoch, manifest.step) == ("gpt", 3, 2, 1204)
    assert manifest.torch_version == torch.__version__
    record = manifest.units["layer.weight"]
    assert (record.dtype, record.shape) == ("float32", (2, 3))
    assert record.digest == tensor_digest(torch.ones(2, 3), name="layer.weight")
    assert list(manifest.buffers) == ["norm.running_mean"]
    assert manifest.root_digest == root_digest(manifest.digests())


def test_a_manifest_survives_encoding() -> None:
    manifest = build()
    assert decode_manifest(encode_manifest(manifest)) == manifest


def test_equal_manifests_are_equal_bytes_whatever_the_order_of_tensors() -> None:
    backwards = dict(reversed(units().items()))
    assert encode_manifest(build(units=backwards)) == encode_manifest(build())


def test_the_encoding_is_sorted_compact_json_without_floating_point_numbers() -> None:
    encoded = encode_manifest(build())

    def refuse(text: str) -> None:
        pytest.fail(f"floating-point number {text} in a manifest")

    loaded = json.loads(encoded, parse_float=refuse)
    assert json.dumps(loaded, sort_keys=True, separators=(",", ":")).encode() == encoded


def test_equal_states_have_equal_roots_whatever_job_epoch_and_step() -> None:
    other = build(job="other", epoch=9, step=1, rank=0)
    assert other.root_digest == build().root_digest


@pytest.mark.parametrize(
    "changes",
    [
        {"small_state": b"Small"},
        {"buffers": {"norm.running_mean": torch.ones(3)}},
        {"units": {"layer.weight": torch.ones(2, 3)}},
    ],
)
def test_another_state_has_another_root(changes: dict[str, object]) -> None:
    assert build(**changes).root_digest != build().root_digest


@pytest.mark.parametrize("name", ["layer.weight", SMALL_STATE])
def test_a_name_used_twice_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        build(buffers={name: torch.zeros(1)})


def test_a_tensor_without_plain_bytes_is_refused() -> None:
    with pytest.raises(UnsupportedTensor, match="w"):
        build(units={"w": torch.eye(2).to_sparse()})


def test_a_faithful_copy_is_verified() -> None:
    verify(build(), state_digests({**units(), **buffers()}, small_state=b"small"))


def test_a_copy_that_differs_is_refused_with_every_name() -> None:
    copy = {**units(), **buffers()}
    copy["layer.weight/exp_avg"][1, 2] = -0.0
    del copy["norm.running_mean"]
    copy["extra"] = torch.zeros(1)
    with pytest.raises(ManifestMismatch, match="rank 3 at step 1204") as caught:
        verify(build(), state_digests(copy, small_state=b"other"))
    assert caught.value.tensors == (
        "extra",
        SMALL_STATE,
        "layer.weight/exp_avg",
        "norm.running_mean",
    )


@pytest.mark.parametrize("encoded", [b"", b"{}", b"[1]", b'{"job": "gpt"}', b"\xff\x00", b"null"])
def test_what_is_not_a_manifest_is_malformed(encoded: bytes) -> None:
    with pytest.raises(ManifestMalformed, match="cannot be read"):
        decode_manifest(encoded)


def test_a_manifest_whose_digests_were_changed_is_malformed() -> None:
    encoded = encode_manifest(msgspec.structs.replace(build(), small_state_digest="0" * 64))
    with pytest.raises(ManifestMalformed, match="root digest"):
        decode_manifest(encoded)


@pytest.mark.parametrize("changes", [{"rank": -1}, {"root_digest": "abc"}, {"step": 1.5}])
def test_values_that_cannot_be_are_malformed(changes: dict[str, object]) -> None:
    encoded = msgspec.json.encode({**msgspec.to_builtins(build()), **changes})
    with pytest.raises(ManifestMalformed, match="cannot be read"):
        decode_manifest(encoded)
