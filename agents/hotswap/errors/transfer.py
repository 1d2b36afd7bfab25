"""Errors about bytes between two members."""

from hotswap.errors.base import HotswapError, NamesTensors


class UnsupportedTensor(HotswapError):
    """A tensor has no plain bytes; ``tensor`` names it."""

    def __init__(self, tensor: str, problem: str) -> None:
        """Name the tensor and what is wrong with it."""
        super().__init__(f"tensor {tensor!r} {problem}")
        self.tensor = tensor


class TransferError(HotswapError):
    """Bytes between two members did not arrive, or not intact."""


class LinkClosed(TransferError):
    """The peer closed the link between two bundles."""


class LinkLost(TransferError):
    """The link broke within a bundle."""


class LinkTimedOut(TransferError):
    """The peer sent or took nothing for as long as the socket's time-out."""


class BundleMalformed(TransferError):
    """What arrived is not a bundle."""


class BundleVersionUnknown(TransferError):
    """The peer sends another version of the bundle format."""


class BundleTooLarge(TransferError):
    """A header, a segment or a bundle is above its named limit."""


class SegmentUnexpected(TransferError):
    """A segment does not fit what the receiver holds; nothing of the bundle was written."""


class CorruptSegment(NamesTensors, TransferError):
    """Bytes of ``tensors`` are not those that were sent."""


class ManifestMalformed(TransferError):
    """The bytes are not a manifest, or one that contradicts itself."""


class ManifestMismatch(NamesTensors, TransferError):
    """A state differs from its manifest in ``tensors``."""


class CertificateConflict(TransferError):
    """The swap has another certificate already."""
