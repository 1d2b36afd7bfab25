"""The only place that reads the time. Views, tasks and commands ask it, and pass `now` on."""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the time in UTC, aware of its zone."""
    return datetime.now(tz=UTC)
