"""Swaps over REST."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from apps.core import clock
from apps.core.access import Actor, Role
from apps.swaps.models import Swap
from tests.apps.approvals import making
from tests.apps.swaps.runtime import Runtime
from tests.apps.swaps.world import World

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    """Let requests come at the world's time."""
    monkeypatch.setattr(clock, "now", lambda: world.now)


def asking(actor: Actor) -> APIClient:
    client = APIClient()
    client.force_authenticate(token=actor)  # type: ignore[arg-type] # an actor is what ours gives
    return client


def shown(actor: Actor, path: str) -> Any:
    answer = asking(actor).get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def proposal(world: World, **changes: Any) -> dict[str, Any]:
    return {"job": str(world.job.id), "rank": 2, "reason": "It is getting worse."} | changes


def test_proposing_answers_with_the_plan_and_the_approval_it_waits_for(world: World) -> None:
    answer = asking(world.otto).post("/api/v1/swaps", proposal(world))
    assert answer.status_code == 201, answer.content
    swap = answer.json()
    assert swap["state"] == "awaiting_approval"
    assert (swap["source_node"]["name"], swap["target_node"]["name"]) == ("n3", "n5")
    assert swap["target_node"]["grade"] == "low"
    assert swap["band"]["center"] == 2.0
    assert swap["plan"]["reservation"] == "n5 for rank 2, until the swap ends"
    assert swap["plan"]["document"]["rank"] == 2
    assert {each["name"] for each in swap["plan"]["constraints"]} >= {"spare_free", "mirror"}
    assert [each["state"] for each in swap["phases"]] == [
        "proposed",
        "planned",
        "awaiting_approval",
    ]
    approval = shown(world.ada, f"approvals/{swap['approval']}")
    assert approval["plan_digest"] == swap["plan_digest"]


def test_phases_have_who_when_and_deadlines(world: World) -> None:
    swap = world.asked()
    proposed, planned, waiting = shown(world.otto, f"swaps/{swap.id}")["phases"]
    assert proposed["actor"]["name"] == "Otto"
    assert planned["actor"]["kind"] == "system"
    assert proposed["left_at"] == planned["entered_at"]
    assert waiting["left_at"] is None
    assert waiting["deadline_at"] == "2026-03-01T13:00:00Z"


def test_buttons_say_why_they_are_disabled(world: World, runtime: Runtime) -> None:
    swap = world.asked()

    def allowed(actor: Actor) -> list[tuple[str, bool, str | None]]:
        found = shown(actor, f"swaps/{swap.id}")["allowed"]
        return [(each["action"], each["enabled"], each["reason"]) for each in found]

    assert allowed(world.otto) == [("withdraw", True, None)]
    assert allowed(world.ada) == [("withdraw", False, "Needs the role operator.")]
    world.approve(swap)
    world.advance(swap)
    assert allowed(world.otto) == [("abort", True, None)]
    runtime.take_commands()
    runtime.go_on(7)
    runtime.report()
    world.advance(swap)
    (button,) = allowed(world.otto)
    assert button[:2] == ("abort", False)


def test_aborting_before_anything_was_sent_ends_it(world: World) -> None:
    swap = world.asked()
    answer = asking(world.otto).post(f"/api/v1/swaps/{swap.id}/abort", {"reason": "No."})
    assert (answer.status_code, answer.json()["state"]) == (200, "aborted")
    again = asking(world.otto).post(f"/api/v1/swaps/{swap.id}/abort", {"reason": "No."})
    assert (again.status_code, again.json()["code"]) == (409, "transition_refused")


def test_events_and_certificate(world: World, runtime: Runtime) -> None:
    swap = world.begun()
    missing = asking(world.otto).get(f"/api/v1/swaps/{swap.id}/certificate")
    assert missing.status_code == 404
    runtime.take_commands()
    runtime.go_on(7)
    runtime.commit(10)
    runtime.report()
    world.advance(swap)
    certificate = shown(world.otto, f"swaps/{swap.id}/certificate")
    assert certificate["verified"] is True
    assert certificate["document"]["swap_id"] == "0001-planned-rank-2"
    events = shown(world.otto, f"swaps/{swap.id}/events")["results"]
    assert [each["sequence"] for each in events] == [*range(1, len(events) + 1)]
    assert (events[0]["from_state"], events[0]["action"]) == (None, "propose")
    assert events[-1]["to_state"] == "completed"


def test_the_list_is_filtered(world: World) -> None:
    swap = world.asked()
    n3, n1 = world.nodes["n3"].id, world.nodes["n1"].id
    for query, expected in (
        ("state=awaiting_approval", [str(swap.id)]),
        ("state=failed", []),
        ("kind=planned", [str(swap.id)]),
        (f"job={world.job.id}", [str(swap.id)]),
        (f"node={n3}", [str(swap.id)]),
        (f"node={n1}", []),
    ):
        found = shown(world.otto, f"swaps?{query}")["results"]
        assert [each["id"] for each in found] == expected, query
    assert asking(world.otto).get("/api/v1/swaps?node=x").status_code == 422


def test_nothing_of_another_tenant_is_there(world: World) -> None:
    swap = world.asked()
    stranger = making.person("stranger", making.tenant("borealis"), *Role)
    client = asking(stranger)
    for path in ("", "/events", "/certificate"):
        assert client.get(f"/api/v1/swaps/{swap.id}{path}").status_code == 404, path
    assert client.post(f"/api/v1/swaps/{swap.id}/abort", {}).status_code == 404
    assert client.post("/api/v1/swaps", proposal(world)).status_code == 404
    assert client.get("/api/v1/swaps").json()["results"] == []
    brake = {"tenant": str(world.tenant.id), "engaged": True, "reason": "x"}
    assert client.put("/api/v1/swaps/brake", brake).status_code == 404


def test_a_viewer_looks_and_no_more(world: World) -> None:
    swap = world.asked()
    vera = making.person("vera", world.tenant, Role.VIEWER)
    client = asking(vera)
    assert client.get(f"/api/v1/swaps/{swap.id}").status_code == 200
    assert client.post(f"/api/v1/swaps/{swap.id}/abort", {}).status_code == 403
    assert client.post("/api/v1/swaps", proposal(world)).status_code == 403
    assert client.put("/api/v1/swaps/brake", {"engaged": False}).status_code == 403


def test_what_is_wrong_is_said(world: World) -> None:
    client = asking(world.otto)
    for changes, status, code in (
        ({"rank": 9}, 422, "swap_refused"),
        ({"rank": -1}, 422, "invalid"),
        ({"reason": ""}, 422, "invalid"),
        ({"job": str(world.tenant.id)}, 404, "not_found"),
        ({"target_node": str(world.nodes["n3"].id)}, 422, "swap_refused"),
    ):
        answer = client.post("/api/v1/swaps", proposal(world, **changes))
        assert (answer.status_code, answer.json()["code"]) == (status, code), changes
    client.post("/api/v1/swaps", proposal(world))
    again = client.post("/api/v1/swaps", proposal(world))
    assert (again.status_code, again.json()["code"]) == (409, "swap_open")


def test_a_proposal_with_a_key_is_made_once(world: World) -> None:
    client = asking(world.otto)
    headers = {"Idempotency-Key": "one"}
    first = client.post("/api/v1/swaps", proposal(world), headers=headers)
    again = client.post("/api/v1/swaps", proposal(world), headers=headers)
    assert first.json()["id"] == again.json()["id"]
    assert Swap.objects.count() == 1


def test_the_brake_is_engaged_and_released(world: World) -> None:
    client = asking(world.otto)
    assert client.get("/api/v1/swaps/brake").json()["engaged"] is False
    engaged = client.put("/api/v1/swaps/brake", {"engaged": True, "reason": "Maintenance."})
    assert (engaged.status_code, engaged.json()["engaged_by"]["name"]) == (200, "Otto")
    refused = client.post("/api/v1/swaps", proposal(world))
    assert (refused.status_code, refused.json()["code"]) == (409, "brake_engaged")
    released = client.put("/api/v1/swaps/brake", {"engaged": False})
    assert released.json()["engaged"] is False


def test_limits_are_an_admins_business(world: World) -> None:
    root = making.person("root", world.tenant, Role.ADMIN)
    wanted = {"per_job": 2, "per_rack": 2, "per_tenant": 8}
    assert asking(world.otto).put("/api/v1/swaps/limits", wanted).status_code == 403
    answer = asking(root).put("/api/v1/swaps/limits", wanted)
    assert (answer.status_code, answer.json()["per_tenant"]) == (200, 8)
    assert shown(world.otto, "swaps/limits")["per_rack"] == 2


def test_lists_take_as_many_queries_whatever_their_length(
    world: World, django_assert_num_queries: Any
) -> None:
    for rank in range(4):
        world.propose(rank)
    with django_assert_num_queries(1):
        assert len(shown(world.otto, "swaps")["results"]) == 4
    one = Swap.objects.latest("id").id
    with django_assert_num_queries(2):
        shown(world.otto, f"swaps/{one}")
