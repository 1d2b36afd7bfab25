"""The certificates of a job that the plane has not been given yet."""

from collections.abc import Container
from pathlib import Path

import msgspec
import structlog

from hotswap.node.evidence import CERTIFICATE_NBYTES_MAX
from hotswap.wire.plane import CertificateReport

_log = structlog.get_logger()

_PREFIX = "swap-"


def read_certificates(
    directory: Path, *, known: Container[str], certificates_max: int
) -> tuple[CertificateReport, ...]:
    """Read certificates of swaps that are not in ``known``, so many at most."""
    found: list[CertificateReport] = []
    for path in sorted(directory.glob(f"{_PREFIX}*.json")):
        swap = path.stem.removeprefix(_PREFIX)
        if len(found) < certificates_max and swap not in known:
            report = _read(path, swap)
            if report is not None:
                found.append(report)
    return tuple(found)


def _read(path: Path, swap: str) -> CertificateReport | None:
    try:
        if path.stat().st_size > CERTIFICATE_NBYTES_MAX:
            return None
        document = msgspec.json.decode(path.read_bytes(), type=dict[str, object])
    except (OSError, msgspec.DecodeError) as error:
        _log.warning("certificate_unreadable", path=str(path), detail=str(error))
        return None
    return CertificateReport(swap=swap, document=document)
