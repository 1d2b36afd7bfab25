"""What a leader tells, for tests."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hotswap.wire.answers import Status
from hotswap.wire.plane import NoticeReport
from hotswap.wire.values import RankStatus

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def notice(kind: str, *, after_s: float = 0.0, **fields: Any) -> NoticeReport:
    values = {
        "offset": 0,
        "at": (NOON + timedelta(seconds=after_s)).isoformat(),
        "monotonic_s": after_s,
        "leader": "coordinator-0",
        "token": 1,
        "epoch": 1,
    }
    return NoticeReport(kind=kind, **{**values, **fields})


def committed(
    step: int, *, loss: float | None = 2.0, step_s: float = 0.5, **fields: Any
) -> NoticeReport:
    extra = fields.pop("values", {})
    values = {"loss": loss, "step_s": step_s, "samples": 8.0, "ranks": 2.0, **extra}
    return notice("committed", after_s=step * 0.5, step=step, values=values, **fields)


def rank(
    number: int, member: str | None, protection: str = "protected", **fields: Any
) -> RankStatus:
    return RankStatus(rank=number, member=member, committed=None, protection=protection, **fields)  # type: ignore[arg-type]  # one of the literals


def status(*ranks: RankStatus, **fields: Any) -> Status:
    values = {
        "job": "gpt",
        "leader": "coordinator-0",
        "token": 1,
        "phase": "running",
        "epoch": 1,
        "committed": 0,
        "world_size": len(ranks),
        "standbys": (),
    }
    return Status(ranks=ranks, **{**values, **fields})
