"""One spelling for each JSON value, so that its digest means something."""

import hashlib
import json
from typing import Any, Final

PREFIX: Final = "sha256:"


def encode(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Return canonical JSON: keys sorted, no spaces, ASCII.

    Raises:
        ValueError: for NaN and infinities, which JSON does not know.
        TypeError: for what is no JSON value.
    """
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )
    return text.encode("ascii")


def digest(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return ``sha256:<hex>`` of the canonical JSON of a value."""
    return PREFIX + hashlib.sha256(encode(value)).hexdigest()


def decode(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a JSON text; None where it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None
