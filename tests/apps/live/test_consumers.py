import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from django.conf import settings
from django.test import Client

from apps.accounts.models import Membership, Tenant, User
from apps.accounts.services import token_create
from apps.core.access import SYSTEM
from apps.live import consumers
from apps.live.consumers import NOT_SIGNED_IN, NOT_YOURS, QUEUE_MAX, TOO_SLOW, LiveConsumer
from apps.live.domain.deltas import delta_text, group_of
from apps.live.models import LiveSequence
from tests.apps.live.browser import Browser

NOW = datetime(2030, 1, 1, tzinfo=UTC)
pytestmark = pytest.mark.django_db(transaction=True)


@sync_to_async
def make_tenant(slug: str) -> Tenant:
    return Tenant.objects.create(slug=slug, name=slug, created_at=NOW)


@sync_to_async
def sign_in(tenant: Tenant, username: str = "otto") -> str:
    user = User.objects.create(username=username, created_at=NOW)
    Membership.objects.create(user=user, tenant=tenant, roles=["operator"], created_at=NOW)
    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


def connection(tenant_id: object, session: str | None) -> Browser:
    cookie = f"{settings.SESSION_COOKIE_NAME}={session}".encode()
    return Browser(
        LiveConsumer.as_asgi(),
        f"/ws/live?tenant={tenant_id}",
        headers=[(b"cookie", cookie)] if session else [],
    )


async def tell(tenant: Tenant, sequence: int, **payload: object) -> None:
    text = delta_text(sequence=sequence, kind="node.changed", payload=payload)
    message = {"type": "live.delta", "sequence": sequence, "text": text}
    layer = get_channel_layer()
    assert layer is not None
    await layer.group_send(group_of(tenant.id), message)


async def closed_with(browser: Browser) -> int:
    assert await browser.connect()
    message = await browser.take()
    assert message["type"] == "websocket.close"
    return int(message["code"])


async def test_it_says_hello_and_then_passes_deltas_on() -> None:
    tenant = await make_tenant("aurora")
    await LiveSequence.objects.acreate(tenant_id=tenant.id, value=41)
    browser = connection(tenant.id, await sign_in(tenant))
    assert await browser.connect()
    assert await browser.receive_json_from() == {"type": "hello", "sequence": 41}
    await tell(tenant, 42, id="n3", grade="high")
    assert await browser.receive_json_from() == {
        "type": "delta",
        "sequence": 42,
        "kind": "node.changed",
        "payload": {"id": "n3", "grade": "high"},
    }
    await browser.disconnect()


async def test_what_was_seen_already_is_not_passed_on_again() -> None:
    tenant = await make_tenant("aurora")
    await LiveSequence.objects.acreate(tenant_id=tenant.id, value=41)
    browser = connection(tenant.id, await sign_in(tenant))
    await browser.connect()
    await browser.receive_json_from()
    for sequence in (41, 42, 42, 43):
        await tell(tenant, sequence)
    numbers = [(await browser.receive_json_from())["sequence"] for _ in range(2)]
    assert numbers == [42, 43]
    assert await browser.hears_nothing()
    await browser.disconnect()


async def test_nothing_of_another_tenant_passes() -> None:
    ours, theirs = await make_tenant("aurora"), await make_tenant("borealis")
    browser = connection(ours.id, await sign_in(ours))
    await browser.connect()
    await browser.receive_json_from()
    await tell(theirs, 1, id="secret")
    assert await browser.hears_nothing()
    await browser.disconnect()


async def test_somebody_elses_tenant_looks_as_if_it_did_not_exist() -> None:
    ours, theirs = await make_tenant("aurora"), await make_tenant("borealis")
    session = await sign_in(ours)
    assert await closed_with(connection(theirs.id, session)) == NOT_YOURS
    assert await closed_with(connection("no-id", session)) == NOT_YOURS
    assert await closed_with(connection("", session)) == NOT_YOURS


async def test_who_is_not_signed_in_hears_nothing() -> None:
    tenant = await make_tenant("aurora")
    assert await closed_with(connection(tenant.id, None)) == NOT_SIGNED_IN
    assert await closed_with(connection(tenant.id, "forged")) == NOT_SIGNED_IN


@sync_to_async
def make_token(tenant: Tenant, *scopes: str) -> str:
    user = User.objects.create(username="program", created_at=NOW)
    Membership.objects.create(user=user, tenant=tenant, roles=["viewer"], created_at=NOW)
    _, text = token_create(
        actor=SYSTEM,
        owner_id=user.id,
        tenant_id=tenant.id,
        name="dashboard",
        scopes=scopes,
        expires_at=None,
        now=NOW,
    )
    return text


@pytest.mark.parametrize(("scope", "let_in"), [("read", True), ("swaps:write", False)])
async def test_a_program_listens_with_a_token_that_may_read(scope: str, let_in: bool) -> None:  # noqa: FBT001 - a case
    tenant = await make_tenant("aurora")
    token = await make_token(tenant, scope)
    browser = Browser(
        LiveConsumer.as_asgi(),
        f"/ws/live?tenant={tenant.id}",
        headers=[(b"authorization", f"Bearer {token}".encode())],
    )
    if let_in:
        assert await browser.connect()
        assert (await browser.receive_json_from())["type"] == "hello"
        await browser.disconnect()
    else:
        assert await closed_with(browser) == NOT_SIGNED_IN


async def test_a_beat_repeats_the_last_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "BEAT_EVERY_S", 0.05)
    tenant = await make_tenant("aurora")
    browser = connection(tenant.id, await sign_in(tenant))
    await browser.connect()
    await browser.receive_json_from()
    await LiveSequence.objects.acreate(tenant_id=tenant.id, value=7)
    seen = [await browser.receive_json_from() for _ in range(3)]
    assert {"type": "beat", "sequence": 7} in seen
    await browser.disconnect()


@pytest.mark.parametrize("loss", ["role", "session", "person"])
async def test_who_loses_the_right_to_look_is_dropped(
    monkeypatch: pytest.MonkeyPatch, loss: str
) -> None:
    monkeypatch.setattr(consumers, "BEAT_EVERY_S", 0.05)
    tenant = await make_tenant("aurora")
    session = await sign_in(tenant)
    browser = connection(tenant.id, session)
    await browser.connect()
    await browser.receive_json_from()
    await sync_to_async(take_away)(loss)
    message: dict[str, Any] = {}
    while message.get("type") != "websocket.close":
        message = await browser.take()
    assert message["code"] == (NOT_YOURS if loss == "role" else NOT_SIGNED_IN)
    await browser.end()


def take_away(what: str) -> None:
    if what == "role":
        Membership.objects.all().delete()
    elif what == "person":
        User.objects.update(is_active=False)
    else:
        from django.contrib.sessions.models import Session  # noqa: PLC0415 - apps are loaded now

        Session.objects.all().delete()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not condition():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)


class Socket:
    """A browser whose network takes a message only when the test lets it."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.incoming.put_nowait({"type": "websocket.connect"})
        self.taken: list[dict[str, Any]] = []
        self.takes = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        return await self.incoming.get()

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "websocket.send":
            await self.takes.wait()
        self.taken.append(message)


async def test_a_slow_browser_is_dropped_and_holds_nobody_up() -> None:
    tenant = await make_tenant("aurora")
    session = await sign_in(tenant)
    slow = Socket()
    scope = connection(tenant.id, session).scope
    running = asyncio.create_task(LiveConsumer.as_asgi()(scope, slow.receive, slow.send))
    quick = connection(tenant.id, session)
    await quick.connect()
    assert (await quick.receive_json_from())["type"] == "hello"
    # one is in the network's hands, and the queue is full; the next one is too many
    for sequence in range(1, QUEUE_MAX + 3):
        await tell(tenant, sequence)
        assert (await quick.receive_json_from())["sequence"] == sequence
    await asyncio.wait_for(running, 5)
    assert [message["type"] for message in slow.taken] == ["websocket.accept", "websocket.close"]
    assert slow.taken[-1]["code"] == TOO_SLOW
    await quick.disconnect()


async def test_what_waits_for_a_browser_arrives_in_order_once_it_takes_it() -> None:
    tenant = await make_tenant("aurora")
    session = await sign_in(tenant)
    slow = Socket()
    scope = connection(tenant.id, session).scope
    running = asyncio.create_task(LiveConsumer.as_asgi()(scope, slow.receive, slow.send))
    layer = get_channel_layer()
    assert layer is not None
    await until(lambda: group_of(tenant.id) in layer.groups)
    for sequence in range(1, 6):
        await tell(tenant, sequence)
    slow.takes.set()
    await until(lambda: len(slow.taken) == 7)
    texts = [json.loads(message["text"])["sequence"] for message in slow.taken[1:]]
    assert texts == [0, 1, 2, 3, 4, 5]
    slow.incoming.put_nowait({"type": "websocket.disconnect", "code": 1000})
    await asyncio.wait_for(running, 5)
