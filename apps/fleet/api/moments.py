"""Times as the API writes them."""

from datetime import datetime

_UTC = "+00:00"


def moment(at: datetime) -> str:
    """Return a time in UTC as every serializer writes it: ISO 8601 with a Z."""
    text = at.isoformat()
    return f"{text.removesuffix(_UTC)}Z" if text.endswith(_UTC) else text
