"""Where the relay sends: to browsers through the channel layer, to workers through Celery."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from apps.live.domain.deltas import delta_text, group_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from uuid import UUID

    from celery import Celery
    from channels.layers import BaseChannelLayer


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What happened in a tenant, with its number there."""

    tenant_id: UUID
    sequence: int
    kind: str
    payload: Mapping[str, Any]


class Outlets(Protocol):
    """Sends what the relay has read; may be told the same thing twice after a crash.

    Each method returns when the message is on its way, and raises when it is not: then nothing is
    marked as sent, and everything is sent again. Called by one thread.
    """

    def live(self, deltas: Iterable[Delta]) -> None:
        """Tell browsers, in this order."""

    def wake(self, *, kind: str, payload: Mapping[str, Any]) -> None:
        """Make a worker look now."""


@dataclass(slots=True, kw_only=True)
class ChannelsAndCelery:
    """The outlets of a real relay."""

    layer: BaseChannelLayer
    celery: Celery
    # one loop for all calls: the layer keeps a connection per loop
    _runner: asyncio.Runner = field(default_factory=asyncio.Runner)

    def live(self, deltas: Iterable[Delta]) -> None:
        """Send to the group of each delta's tenant."""
        self._runner.run(self._live(deltas))

    async def _live(self, deltas: Iterable[Delta]) -> None:
        for delta in deltas:
            # written out here, once, instead of in each of some hundred connections
            text = delta_text(sequence=delta.sequence, kind=delta.kind, payload=delta.payload)
            message = {"type": "live.delta", "sequence": delta.sequence, "text": text}
            await self.layer.group_send(group_of(delta.tenant_id), message)

    def wake(self, *, kind: str, payload: Mapping[str, Any]) -> None:
        """Send the task ``workers.<kind>`` with the payload as arguments."""
        self.celery.send_task(f"workers.{kind}", kwargs=dict(payload), retry=False)
