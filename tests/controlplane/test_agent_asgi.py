"""The agents' port: the gateway lives as long as the server, and Django answers beside it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from apps.accounts.authority import CERTIFICATE_FILE
from controlplane.agent_asgi import AgentApplication
from hotswap.wire.plane import AUTHORITY_PATH, REPORT_PATH


@pytest.fixture(name="application")
async def _application(settings: Any, tmp_path: Path) -> AsyncIterator[AgentApplication]:
    settings.HOTSWAP_AUTHORITY_DIR = tmp_path
    application = AgentApplication()
    asked: asyncio.Queue[dict[str, Any]] = asyncio.Queue(maxsize=2)
    said: asyncio.Queue[dict[str, Any]] = asyncio.Queue(maxsize=2)
    life = asyncio.create_task(application({"type": "lifespan"}, asked.get, said.put))
    await asked.put({"type": "lifespan.startup"})
    assert (await said.get())["type"] == "lifespan.startup.complete"
    yield application
    await asked.put({"type": "lifespan.shutdown"})
    assert (await said.get())["type"] == "lifespan.shutdown.complete"
    await life


async def ask(application: AgentApplication, method: str, path: str) -> tuple[int, bytes]:
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"testserver")],
    }
    sent: list[dict[str, Any]] = []
    done = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if not done.is_set():
            done.set()
            return {"type": "http.request", "body": b"", "more_body": False}
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await application(scope, receive, send)
    body = b"".join(each.get("body", b"") for each in sent)
    return sent[0]["status"], body


async def test_the_gateway_answers_its_addresses(application: AgentApplication) -> None:
    status, body = await ask(application, "POST", REPORT_PATH)
    assert (status, b"certificate_missing" in body) == (403, True)


async def test_it_hands_out_the_certificate_of_its_authority(
    application: AgentApplication, tmp_path: Path
) -> None:
    status, body = await ask(application, "GET", AUTHORITY_PATH)
    assert (status, body) == (200, (tmp_path / CERTIFICATE_FILE).read_bytes())


async def test_health_is_answered_beside_it(application: AgentApplication) -> None:
    assert (await ask(application, "GET", "/healthz"))[0] == 200


async def test_the_addresses_of_people_are_not_there(application: AgentApplication) -> None:
    assert (await ask(application, "GET", "/api/v1/jobs"))[0] == 404
