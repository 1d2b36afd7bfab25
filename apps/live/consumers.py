"""A browser's live connection to one tenant. It decides nothing: what the relay sends goes out."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qs
from uuid import UUID

from channels.db import database_sync_to_async
from channels.exceptions import StopConsumer
from channels.generic.websocket import AsyncWebsocketConsumer

from apps.core.access import Role
from apps.core.clock import now
from apps.live.asking import actor_of_scope
from apps.live.domain.deltas import beat_text, group_of, hello_text
from apps.live.selectors import sequence_last

#: Messages that a browser has not taken yet; one more, and it is dropped.
QUEUE_MAX: Final = 256
#: Longest wait for a browser to take the message that it is dropped, s.
CLOSE_S: Final = 2.0
#: Between two beats; at each one it is looked up whether the person may still see the tenant, s.
BEAT_EVERY_S: Final = 15.0

NOT_SIGNED_IN: Final = 4401
NOT_YOURS: Final = 4404
TOO_SLOW: Final = 4408


class LiveConsumer(AsyncWebsocketConsumer):  # type: ignore[misc] # published without types
    """Says hello with the last number, then passes on every later delta of the tenant.

    Close codes: 4401 not signed in, or no longer; 4404 no such tenant for this person; 4408 the
    browser takes messages more slowly than they come.
    """

    async def connect(self) -> None:
        """Let a member of the tenant in."""
        self._tasks: list[asyncio.Task[None]] = []
        self._outgoing: asyncio.Queue[str] = asyncio.Queue(maxsize=QUEUE_MAX)
        await self.accept()
        tenant_id = _tenant_asked(self.scope)
        refusal = await self._refusal(tenant_id)
        if refusal is not None or tenant_id is None:
            await self.close(code=refusal)
            return
        self._tenant_id = tenant_id
        # first listen, then read how far it is: what happens in between comes as a delta
        await self.channel_layer.group_add(group_of(tenant_id), self.channel_name)
        self.groups = [group_of(tenant_id)]
        self._last = await database_sync_to_async(sequence_last)(tenant_id=tenant_id)
        self._outgoing.put_nowait(hello_text(sequence=self._last))
        self._tasks = [asyncio.create_task(self._write()), asyncio.create_task(self._beat())]

    async def live_delta(self, event: dict[str, Any]) -> None:
        """Take a delta from the relay; never waits for the browser."""
        if event["sequence"] > self._last:  # a relay that begins anew may repeat itself
            self._last = event["sequence"]
            await self._put(event["text"])

    async def disconnect(self, code: int) -> None:
        """End what runs for the connection."""
        del code
        for task in self._tasks:
            task.cancel()

    async def _put(self, text: str) -> None:
        try:
            self._outgoing.put_nowait(text)
        except asyncio.QueueFull:
            await self._leave(TOO_SLOW)

    async def _write(self) -> None:
        """Send what waits, as fast as the browser takes it."""
        while True:
            await self.send(text_data=await self._outgoing.get())

    async def _beat(self) -> None:
        """Repeat the last number now and then, as long as the person may see the tenant."""
        while True:
            await asyncio.sleep(BEAT_EVERY_S)
            refusal = await self._refusal(self._tenant_id)
            if refusal is not None:
                await self.channel_layer.send(
                    self.channel_name, {"type": "live.leave", "code": refusal}
                )
                return
            last = await database_sync_to_async(sequence_last)(tenant_id=self._tenant_id)
            with suppress(asyncio.QueueFull):  # whoever is that far behind needs no beat
                self._outgoing.put_nowait(beat_text(sequence=last))

    async def live_leave(self, event: dict[str, Any]) -> None:
        """End the connection of somebody who may no longer see the tenant."""
        await self._leave(event["code"])

    async def _leave(self, code: int) -> None:
        """Close the connection, and do not wait long for a browser that takes nothing."""
        await self.disconnect(code)
        await self.channel_layer.group_discard(group_of(self._tenant_id), self.channel_name)
        with suppress(TimeoutError):
            await asyncio.wait_for(self.close(code=code), CLOSE_S)
        raise StopConsumer

    async def _refusal(self, tenant_id: UUID | None) -> int | None:
        """Return the close code for somebody who may not listen; None for who may."""
        actor = await database_sync_to_async(actor_of_scope)(self.scope, now=now())
        if actor is None:
            return NOT_SIGNED_IN
        if tenant_id is None or not actor.may(tenant_id, Role.VIEWER):
            return NOT_YOURS
        return None


def _tenant_asked(scope: Any) -> UUID | None:  # noqa: ANN401 - ASGI's own
    """Return the tenant in the address; None: none, or no id."""
    found = parse_qs(scope["query_string"].decode("latin-1")).get("tenant", [""])[0]
    try:
        return UUID(found)
    except ValueError:
        return None
