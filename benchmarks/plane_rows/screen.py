"""Row c: from an event to the screens of many dashboards.

An event is an operator's request that changes a node's state. It counts from before the request is
sent; it has arrived when a dashboard's connection has the delta, and, in a real browser, when the
change stands on the page.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import httpx
import websockets
from playwright.async_api import async_playwright

from benchmarks.figures import percentile, rounded
from benchmarks.plane_rows.stack import running_stack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.async_api import Page

    from benchmarks.plane_rows.stack import Stack
    from dev.demo.client import Person

CHROMIUM: Final = "/usr/bin/chromium"
#: An event that has not arrived by then never does, s.
ARRIVES_S: Final = 10.0
#: All connections are open by then, s.
OPEN_S: Final = 60.0
#: Between two events, s: each is seen by itself.
CALM_S: Final = 0.2
#: Resolves with the time (unix ms) at which a text stands on the page.
SEEN: Final = """text => new Promise(resolve => {
  const there = () => document.body.innerText.includes(text) && resolve(Date.now());
  there() || new MutationObserver(there).observe(document.body,
    {subtree: true, childList: true, characterData: true});
})"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is measured."""

    # open connections, the browser's among them
    dashboards: int
    events: int


FULL: Final = Size(dashboards=200, events=60)
QUICK: Final = Size(dashboards=200, events=10)


@dataclass(slots=True)
class Dashboard:
    """One open live connection."""

    # CLOCK_MONOTONIC s at which the delta of each event came, by its reason
    came_s: dict[str, float] = field(default_factory=dict)
    # numbers that were left out
    skipped: int = 0

    async def listen(self, url: str, headers: dict[str, str], ready: asyncio.Semaphore) -> None:
        """Listen until cancelled."""
        async with websockets.connect(url, additional_headers=headers) as socket:
            last = json.loads(await socket.recv())["sequence"]
            ready.release()
            async for text in socket:
                now_s = time.monotonic()
                message = json.loads(text)
                if message["type"] == "delta":
                    self.skipped += message["sequence"] - last - 1
                    last = message["sequence"]
                    self.came_s.setdefault(_mark(message), now_s)


def measure(size: Size) -> dict[str, object]:
    """Open the dashboards, change a node again and again, and note when each one shows it."""
    with running_stack(postgres=False) as stack, stack.person("otto") as otto:
        page = httpx.get(stack.layout.web_url)
        if page.is_error:
            sys.exit(page.text)  # it has not been built, and the page says how that is done
        return asyncio.run(_measure(stack, otto, size))


async def _measure(stack: Stack, otto: Person, size: Size) -> dict[str, object]:
    tenant, cookie = otto.me["tenants"][0]["id"], otto.cookie
    url = f"{stack.layout.web_url.replace('http', 'ws', 1)}/ws/live?tenant={tenant}"
    node = otto.every("nodes", search="n1")[0]["id"]
    ready = asyncio.Semaphore(0)
    dashboards = [Dashboard() for _ in range(size.dashboards - 1)]
    headers = {"Cookie": cookie, "Origin": stack.layout.web_url}
    tasks = [asyncio.create_task(each.listen(url, headers, ready)) for each in dashboards]
    async with asyncio.timeout(OPEN_S):
        for _ in dashboards:
            await ready.acquire()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        page = await _page(await browser.new_page(), stack.layout.web_url, node, cookie)
        screen_ms, socket_ms = await _events(otto, node, page, dashboards, size.events)
        await browser.close()
    for task in tasks:
        task.cancel()
    return {
        "dashboards": size.dashboards,
        "events": size.events,
        "event_to_socket_ms_p50": rounded(percentile(socket_ms, 0.5)),
        "event_to_socket_ms_p95": rounded(percentile(socket_ms, 0.95)),
        "event_to_screen_ms_p50": rounded(percentile(screen_ms, 0.5)),
        "event_to_screen_ms_p95": rounded(percentile(screen_ms, 0.95)),
        "numbers_skipped": sum(each.skipped for each in dashboards),
    }


async def _page(page: Page, web: str, node: str, cookie: str) -> Page:
    """Open the node's page as the person whose cookie it is."""
    name, _, value = cookie.partition("=")
    await page.context.add_cookies([{"name": name, "value": value, "url": web}])
    await page.goto(f"{web}/nodes/{node}")
    await page.get_by_text("Live", exact=True).wait_for()
    return page


async def _events(
    otto: Person, node: str, page: Page, dashboards: Sequence[Dashboard], events: int
) -> tuple[list[float | None], list[float | None]]:
    """Cause events one after the other; return when they were on screen, and at each socket, ms."""
    screen_ms: list[float | None] = []
    socket_ms: list[float | None] = []
    for number in range(events):
        mark = f"bench event {number}."
        state = "active" if number % 2 else "maintenance"
        seen = asyncio.create_task(page.evaluate(SEEN, mark))
        await asyncio.sleep(CALM_S)
        sent_s, sent_unix_s = time.monotonic(), datetime.now(UTC).timestamp()
        await asyncio.to_thread(otto.post, f"nodes/{node}/state", state=state, reason=mark)
        try:
            seen_ms = await asyncio.wait_for(seen, ARRIVES_S)
        except TimeoutError:
            screen_ms.append(None)
        else:
            screen_ms.append(seen_ms - sent_unix_s * 1000)
        await _all_came(dashboards, mark)
        came = [each.came_s.get(mark) for each in dashboards]
        socket_ms += [None if at_s is None else (at_s - sent_s) * 1000 for at_s in came]
    return screen_ms, socket_ms


async def _all_came(dashboards: Sequence[Dashboard], mark: str) -> None:
    deadline_s = time.monotonic() + ARRIVES_S
    while time.monotonic() < deadline_s:
        if all(mark in each.came_s for each in dashboards):
            return
        await asyncio.sleep(CALM_S / 10)


def _mark(message: dict[str, Any]) -> str:
    """Return the reason by which an event is known again."""
    return str(message["payload"].get("state_reason", ""))
