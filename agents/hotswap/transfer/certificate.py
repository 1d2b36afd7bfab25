"""Certificate of a swap: what changed hands, when, and whether it was the same bits.

Whatever was not measured is None and is shown as unknown. Durations are whole microseconds of a
monotonic clock, instants are ISO 8601 with an offset; both are the caller's, and no number here is
a floating-point one, so that equal certificates are equal bytes.
"""

import re
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from hotswap.errors import CertificateConflict
from hotswap.transfer.atomic import write_atomically

#: Phase of a planned swap in which training stood still.
PAUSE: Final = "pause"
#: Phase of an unplanned one: from the loss until every rank computed again.
STALL: Final = "stall"

_DIGEST_DIGITS_SHOWN: Final = 4
_NAMES_SHOWN_MAX: Final = 3

_Natural = Annotated[int, msgspec.Meta(ge=0)]
_Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
# A swap's id becomes a part of a file name.
_SWAP_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Phase(msgspec.Struct, frozen=True, kw_only=True):
    """When a phase of a swap began and how long it took."""

    # wall clock, ISO 8601 with offset
    started_at: str | None
    # monotonic clock, microseconds
    duration_us: _Natural | None

    def __post_init__(self) -> None:
        """Refuse an instant that is not ISO 8601 with an offset."""
        if self.started_at is None:
            return
        if datetime.fromisoformat(self.started_at).tzinfo is None:
            message = f"instant {self.started_at!r} has no offset from UTC; add one"
            raise ValueError(message)


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """A rank changed hands."""

    swap_id: str
    job: str
    rank: _Natural
    kind: Literal["planned", "unplanned"]
    # why: who asked for it, or what was lost
    cause: str
    from_member: str | None
    to_member: str | None
    epoch_before: _Natural
    epoch_after: _Natural
    # first step that the new owner applies; steps before it are the old owner's
    step: _Natural | None
    # root digest of the rank's state as the old owner left it
    digest_before: _Digest | None
    # and as the new owner took it over
    digest_after: _Digest | None
    # names of tensors that differed; None: they were not compared
    mismatches: tuple[str, ...] | None
    # committed steps that were lost
    steps_lost: _Natural | None
    # samples that the rank had consumed in all
    samples_consumed: _Natural | None
    # digest of their ids, in order
    samples_digest: _Digest | None
    # by name of the phase, such as `PAUSE`
    phases: dict[str, Phase]
    # member that led, and its fencing token
    leader: str | None
    token: _Natural | None
    # Certificates are signed once approvals and keys exist; until then each says that it is not.
    signature: None = None

    def __post_init__(self) -> None:
        """Refuse a certificate that contradicts itself."""
        if not _SWAP_ID.fullmatch(self.swap_id):
            message = f"swap id {self.swap_id!r} is not 1 to 100 letters, digits, dots and dashes"
            raise ValueError(message)
        if self.epoch_after <= self.epoch_before:
            message = f"epoch {self.epoch_after} does not come after epoch {self.epoch_before}"
            raise ValueError(message)
        if self.mismatches and self.states_equal:
            message = f"equal root digests, yet {', '.join(self.mismatches)} differ"
            raise ValueError(message)

    @property
    def states_equal(self) -> bool | None:
        """Whether the state was the same bits before and after; None: not known."""
        if self.digest_before is None or self.digest_after is None:
            return None
        return self.digest_before == self.digest_after


def encode_certificate(certificate: Certificate) -> bytes:
    """Return the canonical JSON of ``certificate``: sorted keys, no white space."""
    return msgspec.json.encode(certificate, order="sorted")


def write_certificate(directory: Path, certificate: Certificate) -> Path:
    """Write ``certificate`` into ``directory``, atomically, and return its path.

    Writing the same certificate again changes nothing. ``directory`` is created when missing.

    Raises:
        CertificateConflict: the swap has a different one already, which stays as it is.
        OSError: the disk is full or cannot be written; nothing is left behind.

    """
    path = directory / f"swap-{certificate.swap_id}.json"
    encoded = encode_certificate(certificate)
    directory.mkdir(parents=True, exist_ok=True)
    if path.exists():
        if path.read_bytes() == encoded:
            return path
        message = f"{path} holds another certificate of this swap: keep that one, or move it away"
        raise CertificateConflict(message)
    write_atomically(path, [encoded])
    return path


def render_line(certificate: Certificate) -> str:
    """Return ``certificate`` as the one line that a person reads in the terminal."""
    parts = [
        f"step {_known(certificate.step)}",
        f"rank {certificate.rank}",
        f"{_known(certificate.from_member)} → {_known(certificate.to_member)}",
        certificate.kind,
        _render_interruption(certificate),
        _render_digests(certificate),
    ]
    if certificate.kind == "unplanned" or certificate.steps_lost != 0:
        parts.insert(-1, f"steps lost {_known(certificate.steps_lost)}")
    return " · ".join(parts)


def _known(value: int | str | None) -> str:
    return "unknown" if value is None else str(value)


def _render_interruption(certificate: Certificate) -> str:
    name = PAUSE if certificate.kind == "planned" else STALL
    phase = certificate.phases.get(name)
    if phase is None or phase.duration_us is None:
        return f"{name} unknown"
    return f"{name} {phase.duration_us / 1000:.1f} ms"


def _render_digests(certificate: Certificate) -> str:
    before, after = _shorten(certificate.digest_before), _shorten(certificate.digest_after)
    if certificate.states_equal:
        return f"state digests equal (blake3 {after})"
    names = certificate.mismatches or ()
    if certificate.states_equal is None and not names:
        return "state digests unknown"
    shown = ", ".join(names[:_NAMES_SHOWN_MAX]) or "tensors unknown"
    more = len(names) - _NAMES_SHOWN_MAX
    return f"state digests DIFFER (blake3 {before} → {after}): {shown}" + (
        f" and {more} more" if more > 0 else ""
    )


def _shorten(digest: str | None) -> str:
    return "unknown" if digest is None else f"{digest[:_DIGEST_DIGITS_SHOWN]}…"
