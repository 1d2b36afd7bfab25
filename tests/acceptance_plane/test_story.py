"""The main job by two people in two browsers: degrade, propose, approve, watch, prove."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

import pytest
from playwright.sync_api import expect

from dev.demo.agents import worsen
from dev.stack.waiting import wait_until
from tests.acceptance_plane.conftest import SEEN_MS, Demo, picture, sign_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: From the first bad signal until a swap is proposed, and from the approval to its end, s.
PROPOSED_S: Final = 120.0
SWAPPED_S: Final = 300.0

pytestmark = [pytest.mark.timeout(1200), pytest.mark.slow_processes]


#: Ink and ground of a filled button in each theme; that they suit each other is a test of the front
#: end's, which cannot see what the browser makes of its style sheets.
FILLED: Final = {
    "light": ("rgb(255, 255, 255)", "rgb(63, 81, 181)"),
    "dark": ("rgb(16, 20, 42)", "rgb(152, 166, 245)"),
}


def go(page: Page, place: str) -> None:
    """Follow a link of the left rail."""
    page.get_by_role("navigation", name="Main").get_by_role("link", name=place).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(place, re.IGNORECASE))


def look_around(otto: Page, demo: Demo, ids: dict[str, str]) -> None:
    """See each screen before anything happens."""
    expect(otto.get_by_text("gpt").first).to_be_visible()
    picture(otto, "overview")
    for place in ("Fleet", "Jobs", "Swaps", "Approvals"):
        go(otto, place)
        picture(otto, place.lower())
    otto.goto(f"{demo.web}/nodes/{ids['node']}")
    expect(otto.get_by_role("heading", level=1)).to_contain_text("n3")
    picture(otto, "node")
    otto.goto(f"{demo.web}/jobs/{ids['job']}")
    expect(otto.get_by_role("heading", level=1)).to_contain_text("gpt")
    picture(otto, "job")


def approve(ada: Page, demo: Demo, swap: str) -> None:
    """Find the plan among the approvals, and approve it."""
    go(ada, "Approvals")
    expect(ada.get_by_text("waiting for you")).to_be_attached()
    picture(ada, "approvals-waiting")
    ada.goto(f"{demo.web}/swaps/{swap}")
    ada.get_by_role("button", name="Approve this plan").click()
    picture(ada, "approve")
    ada.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).click()


def test_a_node_degrades_a_second_person_approves_and_the_rank_moves(
    demo: Demo, browser: Browser
) -> None:
    with demo.person("otto") as api:
        ids = {
            "job": api.every("jobs")[0]["id"],
            "node": api.every("nodes", search="n3")[0]["id"],
        }
        otto, ada = (sign_in(browser, demo, name) for name in ("otto", "ada"))
        look_around(otto, demo, ids)

        otto.goto(demo.web)
        worsen(demo.directory)

        def proposed() -> dict[str, Any] | None:
            found = [each for each in api.every("swaps") if each["state"] == "awaiting_approval"]
            return found[0] if found else None

        swap = wait_until(proposed, "a proposed swap", wait_s=PROPOSED_S, every_s=0.5)
        assert swap["source_node"]["name"] == "n3"
        # the overview was not loaded again: it came over the live connection
        expect(otto.locator(f'a[href$="/swaps/{swap["id"]}"]').first).to_be_visible(timeout=SEEN_MS)
        otto.goto(f"{demo.web}/swaps/{swap['id']}")
        # who proposes does not approve: the button is there, and says why it can't be used
        expect(otto.get_by_role("button", name="Approve this plan")).to_be_disabled()
        picture(otto, "swap-awaiting-approval")

        approve(ada, demo, swap["id"])
        picture(otto, "swap-under-way")

        def over() -> dict[str, Any] | None:
            found: dict[str, Any] = api.get(f"swaps/{swap['id']}")
            return found if found["ended_at"] else None

        done = wait_until(over, "the end of the swap", wait_s=SWAPPED_S, every_s=0.5)
        # the page was not loaded again either: the certificate came to it
        expect(otto.get_by_role("button", name="Download")).to_be_visible()
        picture(otto, "swap-completed")
        assert (done["state"], done["steps_lost"]) == ("completed", 0)
        assert done["target_node"]["name"] == "n5"
        assert api.get(f"swaps/{swap['id']}/certificate")
        assert api.get(f"jobs/{ids['job']}")["state"] == "running"


def test_the_audit_proves_it(demo: Demo, browser: Browser) -> None:
    with demo.person("root") as api:
        verdict = api.post("audit/verify")
        assert verdict["ok"] is True
        assert verdict["entries"] > 10
    root = sign_in(browser, demo, "root")
    go(root, "Audit")
    root.get_by_role("button", name=re.compile("verify", re.IGNORECASE)).first.click()
    picture(root, "audit")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_filled_button_has_the_ink_of_its_theme(
    demo: Demo, browser: Browser, scheme: Literal["light", "dark"]
) -> None:
    page = browser.new_context(color_scheme=scheme).new_page()
    page.goto(demo.web)
    button = page.get_by_role("button", name="Sign in")
    ink, ground = FILLED[scheme]
    expect(button).to_have_css("color", ink)
    expect(button).to_have_css("background-color", ground)
