"""Unplanned take-overs, and certificates that wait for digests."""

import msgspec

from hotswap.coordinator.core.swap_record import SwapRecord


class Takeover(msgspec.Struct, kw_only=True):
    """A rank was given to another member after a loss."""

    id: str
    rank: int
    from_member: str
    to_member: str
    epoch_before: int
    cause: str
    # None: can't be told
    steps_lost: int | None
    # root digest of the state as the new owner took it over
    digest_after: str | None = None
    # coordinator's clock, s; None: under another leader, or not measured
    noticed_s: float | None = None
    dead_s: float | None = None
    unwound_s: float | None = None
    started_s: float | None = None


class OpenCertificate(msgspec.Struct, kw_only=True):
    """All but the digests is known."""

    record: SwapRecord
    # it is written without what is missing then
    due_s: float
