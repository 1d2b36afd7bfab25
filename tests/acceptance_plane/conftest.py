"""A running demo, and a real browser to look at it with."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from playwright.sync_api import expect, sync_playwright

from dev.demo.world import person_of
from dev.stack import state_file
from dev.stack.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from dev.demo.client import Person

ROOT: Final = Path(__file__).parents[2]
CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome")
#: What the screens looked like; git ignores the folder, and CI keeps it.
PICTURES: Final = ROOT / "runs" / "screenshots"
#: Everything starts, and a job of four ranks comes to be protected, s.
START_S: Final = 400.0
#: Longest wait for something to be seen, ms.
SEEN_MS: Final = 60_000


@dataclass(frozen=True, slots=True)
class Demo:
    """A demo that runs in a process of its own."""

    directory: Path
    web: str

    def person(self, username: str) -> Person:
        """Sign in at the API."""
        return person_of(self.directory, self.web, username)

    def password(self, username: str) -> str:
        """Return somebody's password."""
        known = json.loads((self.directory / "logins.json").read_text())
        return str(known["logins"][username])


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """Run ``make demo`` without the worsening, until its job is protected."""
    directory = tmp_path_factory.mktemp("demo") / "demo"
    # it builds only what is not of these sources
    subprocess.run([ROOT / "dev" / "frontend.sh"], check=True, timeout=600)
    command = [sys.executable, "-m", "dev.demo", "--calm", "--any-ports"]
    with subprocess.Popen([*command, "--directory", str(directory)], cwd=ROOT) as process:
        try:
            yield _ready(process, directory)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def _ready(process: subprocess.Popen[bytes], directory: Path) -> Demo:
    """Wait until the demo's job trains and is protected."""

    def state() -> state_file.StackState | None:
        assert process.poll() is None, "the demo ended; see above"
        found = state_file.read(directory)
        return found if found is not None and found.ready else None

    found = wait_until(state, "the processes of the demo", wait_s=START_S)
    demo = Demo(directory, found.web)
    with demo.person("otto") as otto:

        def protected() -> bool:
            assert process.poll() is None, "the demo ended; see above"
            jobs = otto.every("jobs")
            return bool(jobs) and jobs[0]["protection"] == "protected" and _validated(jobs[0])

        wait_until(protected, "the job's protection", wait_s=START_S, every_s=0.5)
    return demo


def _validated(job: dict[str, Any]) -> bool:
    return job["validation_loss"] is not None


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Run Chromium without a window."""
    program = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    assert program is not None, "there is no Chromium: `make setup` says how to install it"
    expect.set_options(timeout=SEEN_MS)
    with sync_playwright() as playwright:
        # a container has neither a sandbox of its own nor much shared memory
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        chromium = playwright.chromium.launch(executable_path=program, args=arguments)
        yield chromium
        chromium.close()


def sign_in(browser: Browser, demo: Demo, username: str) -> Page:
    """Open the dashboard as somebody, in a window of their own."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.set_default_timeout(SEEN_MS)
    page.goto(demo.web)
    page.get_by_label("Name").fill(username)
    page.get_by_label("Password", exact=True).fill(demo.password(username))
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("navigation", name="Main").wait_for()
    return page


def picture(page: Page, name: str) -> None:
    """Keep what a screen looks like, once it shows what it is about."""
    # by its locator: the pages let no script be made of text
    expect(page.get_by_role("status", name="Loading")).to_have_count(0)
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)
