"""Manifest of a rank's state: what it consists of, to the bit, at one step.

The canonical JSON of a manifest has sorted keys, no white space and no floating-point numbers, so
that equal manifests are equal bytes; those bytes are what a signature will cover.
"""

from collections.abc import Mapping
from typing import Annotated, Final

import msgspec
import torch
from torch import Tensor

from hotswap.errors import ManifestMalformed, ManifestMismatch
from hotswap.transfer.buffers import dtype_name
from hotswap.transfer.digest import blob_digest, differing, root_digest, tensor_digest
from hotswap.wire.messages import PROTOCOL_VERSION

#: Name under which the small state stands among the digests of a state; no tensor may have it.
SMALL_STATE: Final = "hotswap.small_state"

_Natural = Annotated[int, msgspec.Meta(ge=0)]
_Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class TensorRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One tensor of a state."""

    # a name out of `hotswap.transfer.buffers.DTYPES`
    dtype: str
    # sizes of the dimensions of the rank's local tensor
    shape: tuple[_Natural, ...]
    # `hotswap.transfer.digest.tensor_digest`
    digest: _Digest


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A rank's state at a step."""

    job: str
    rank: _Natural
    # ownership epoch in which the state was read
    epoch: _Natural
    # version of the state: steps applied
    step: _Natural
    torch_version: str
    protocol_version: int
    # parameters and optimizer state, by name
    units: dict[str, TensorRecord]
    # buffers that change outside the optimizer, by name
    buffers: dict[str, TensorRecord]
    # of the small state: schedule, random number generators, data position, ...
    small_state_digest: _Digest
    # over all digests above; equal roots mean equal states, whatever the job and epoch
    root_digest: _Digest

    def digests(self) -> dict[str, str]:
        """Return the digest of each tensor and of the small state, by name."""
        records = {**self.units, **self.buffers}
        return {
            **{name: record.digest for name, record in records.items()},
            SMALL_STATE: self.small_state_digest,
        }


def state_digests(tensors: Mapping[str, Tensor], *, small_state: bytes) -> dict[str, str]:
    """Return the digests of a state as `verify` takes them: units and buffers in one mapping."""
    digests = {name: tensor_digest(tensor, name=name) for name, tensor in tensors.items()}
    return {**digests, SMALL_STATE: blob_digest(small_state)}


def build_manifest(
    *,
    job: str,
    rank: int,
    epoch: int,
    step: int,
    units: Mapping[str, Tensor],
    buffers: Mapping[str, Tensor],
    small_state: bytes,
) -> Manifest:
    """Describe a rank's state; every byte of it is read.

    Names must differ between ``units`` and ``buffers``. Raises `ValueError` when they do not, and
    `UnsupportedTensor` for a tensor that has no plain bytes.
    """
    shared = (units.keys() & buffers.keys()) | ({*units, *buffers} & {SMALL_STATE})
    if shared:
        message = f"names used twice in a rank's state: {', '.join(sorted(shared))}; rename them"
        raise ValueError(message)
    digests = state_digests({**units, **buffers}, small_state=small_state)
    return Manifest(
        job=job,
        rank=rank,
        epoch=epoch,
        step=step,
        torch_version=str(torch.__version__),
        protocol_version=PROTOCOL_VERSION,
        units=_records(units, digests=digests),
        buffers=_records(buffers, digests=digests),
        small_state_digest=digests[SMALL_STATE],
        root_digest=root_digest(digests),
    )


def encode_manifest(manifest: Manifest) -> bytes:
    """Return the canonical JSON of ``manifest``."""
    return msgspec.json.encode(manifest, order="sorted")


def decode_manifest(encoded: bytes) -> Manifest:
    """Return the manifest in ``encoded``; its root digest is recomputed.

    Raises `ManifestMalformed` when it cannot be read or contradicts itself.
    """
    try:
        manifest = msgspec.json.decode(encoded, type=Manifest)
    except msgspec.DecodeError as error:
        message = f"the manifest cannot be read ({error}): refuse this state"
        raise ManifestMalformed(message) from error
    if root_digest(manifest.digests()) != manifest.root_digest:
        message = "the manifest's root digest does not belong to its tensors: refuse this state"
        raise ManifestMalformed(message)
    return manifest


def verify(manifest: Manifest, digests: Mapping[str, str]) -> None:
    """Compare ``digests``, as `state_digests` computed them on a copy, with ``manifest``.

    Raises `ManifestMismatch`, which names every tensor that differs, is missing or is too many.
    """
    names = differing(manifest.digests(), digests)
    if names:
        message = (
            f"state of rank {manifest.rank} at step {manifest.step} differs from its manifest "
            f"in {', '.join(names)}: do not use it"
        )
        raise ManifestMismatch(message, tensors=names)


def _records(
    tensors: Mapping[str, Tensor], *, digests: Mapping[str, str]
) -> dict[str, TensorRecord]:
    return {
        name: TensorRecord(
            dtype=dtype_name(tensor, name=name), shape=tuple(tensor.shape), digest=digests[name]
        )
        for name, tensor in tensors.items()
    }
