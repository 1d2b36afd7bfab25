"""Re-checking swap certificates: does each say what a swap has to say, and do they fit together?

A check has three answers. "unknown" is not "ok": something that nobody measured proves nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec

from hotswap.errors import EvidenceUnreadable
from hotswap.transfer.certificate import Certificate, encode_certificate

Verdict = Literal["ok", "failed", "unknown"]

#: Largest certificate that is read, bytes.
CERTIFICATE_NBYTES_MAX = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One question, and what the certificate answers."""

    question: str
    verdict: Verdict
    detail: str = ""


def read_certificate(path: Path) -> tuple[Certificate, bytes]:
    """Read a certificate and its bytes.

    Raises:
        EvidenceUnreadable: there is none, or it is not a certificate; the message says which.

    """
    try:
        with path.open("rb") as file:
            encoded = file.read(CERTIFICATE_NBYTES_MAX + 1)
    except OSError as error:
        raise EvidenceUnreadable(f"cannot read {path}: {error.strerror}") from error
    if len(encoded) > CERTIFICATE_NBYTES_MAX:
        raise EvidenceUnreadable(f"{path} is too large for a certificate")
    try:
        return msgspec.json.decode(encoded, type=Certificate), encoded
    except (msgspec.DecodeError, ValueError) as error:
        raise EvidenceUnreadable(
            f"{path} is not a swap certificate, or was changed: {error}"
        ) from error


def check_certificate(certificate: Certificate, encoded: bytes) -> tuple[Check, ...]:
    """Ask one certificate everything that it can answer by itself."""
    canonical = encode_certificate(certificate) == encoded
    equal = certificate.states_equal
    lost = certificate.steps_lost
    return (
        Check(
            question="written by hotswap and not edited since",
            verdict="ok" if canonical else "failed",
            detail="canonical bytes" if canonical else "not in canonical form",
        ),
        Check(
            question="same state before and after",
            verdict="unknown" if equal is None else "ok" if equal else "failed",
            detail=_differences(certificate),
        ),
        Check(
            question="no committed step lost",
            verdict="unknown" if lost is None else "ok" if lost == 0 else "failed",
            detail="" if lost is None else f"{lost} steps lost",
        ),
        # certificates carry no signature yet, and each says so
        Check(question="signed", verdict="unknown", detail="carries no signature"),
    )


def check_sequence(certificates: Sequence[Certificate]) -> tuple[Check, ...]:
    """Ask whether the certificates of one job, in order of epochs, fit together."""
    ordered = sorted(certificates, key=lambda each: each.epoch_after)
    overlaps = [
        f"{later.swap_id} begins in epoch {later.epoch_before}, before {earlier.swap_id} ended"
        for earlier, later in pairwise(ordered)
        if later.epoch_before < earlier.epoch_after and later.rank == earlier.rank
    ]
    holder: dict[int, str | None] = {}
    gaps = []
    for each in ordered:
        before = holder.get(each.rank)
        if None not in {before, each.from_member} and before != each.from_member:
            gaps.append(
                f"{each.swap_id} takes rank {each.rank} from {each.from_member}, which "
                f"{before} held"
            )
        holder[each.rank] = each.to_member
    return (
        Check(
            question="one owner of each rank in each epoch",
            verdict="failed" if overlaps or gaps else "ok",
            detail="; ".join((*overlaps, *gaps)),
        ),
    )


def _differences(certificate: Certificate) -> str:
    """Say what is known of the digests."""
    if certificate.mismatches:
        return f"these differ: {', '.join(certificate.mismatches)}"
    if certificate.states_equal is None:
        missing = "before" if certificate.digest_before is None else "after"
        return f"no digest {missing} the swap"
    return f"blake3 {certificate.digest_after}"
