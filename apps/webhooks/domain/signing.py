"""The signature by which a receiver knows who sent a webhook, and when.

Header ``Hotswap-Signature: t=<unix s>,v1=<hex>``; v1 is HMAC-SHA256 of ``<t>.<body>`` under the
webhook's secret. A receiver compares in constant time and refuses what is older than some minutes.
"""

import hashlib
import hmac
from typing import Final

HEADER: Final = "Hotswap-Signature"
#: How old a signature may be for `verify`, s.
AGE_S_MAX: Final = 300


def sign(*, secret: str, at_s: int, body: bytes) -> str:
    """Return the header's value for a body that is sent at a time (unix s)."""
    return f"t={at_s},v1={_digest(secret, at_s, body)}"


def verify(*, secret: str, header: str, body: bytes, now_s: int) -> bool:
    """Whether a header is genuine and fresh: what a receiver does; never raises."""
    parts = dict(part.partition("=")[::2] for part in header.split(","))
    stamp, given = parts.get("t", ""), parts.get("v1", "")
    if not (stamp.isascii() and stamp.isdigit() and given.isascii()):
        return False
    fresh = abs(now_s - int(stamp)) <= AGE_S_MAX
    return hmac.compare_digest(_digest(secret, int(stamp), body), given) and fresh


def _digest(secret: str, at_s: int, body: bytes) -> str:
    return hmac.new(secret.encode(), f"{at_s}.".encode() + body, hashlib.sha256).hexdigest()
