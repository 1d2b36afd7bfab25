import csv
import io
from typing import Any

import pytest
from rest_framework.test import APIClient

from apps.core.access import Role
from apps.core.clock import now
from apps.core.ids import new_id
from apps.fleet.api.nodes import line_shown
from apps.fleet.api.serializers import LineOut
from apps.fleet.domain.signals import Inventory, Report, SeenDevice, Source
from apps.fleet.models import Node
from apps.fleet.selectors.charts import Window, lines_get
from apps.fleet.services.reports import node_reports_ingest
from tests.apps.fleet.making import cluster, domain, node, node_class, signal, tenant
from tests.apps.signed_in import a_browser, a_person, a_program

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_jobs(settings: Any) -> None:
    settings.FLEET_OCCUPANCY = "tests.apps.fleet.services.occupied.nothing"


@pytest.fixture
def otto() -> APIClient:
    return a_browser(a_person("otto", Role.OPERATOR, tenant=tenant()))


@pytest.fixture
def vera() -> APIClient:
    return a_browser(a_person("vera", Role.VIEWER, tenant=tenant()))


def say(of: Node, *signals: Any, stale_after_s: float = 15, **changes: Any) -> None:
    """Let a node report now."""
    at = now()
    fields: dict[str, Any] = {"boot": "b1", "sequence": 1, "inventory": None}
    report = Report(node_id=of.id, at=at, signals=signals or (signal(),), **(fields | changes))
    node_reports_ingest(reports=[report], at=at, stale_after_s=stale_after_s)


def names(response: Any) -> list[str]:
    return [row["name"] for row in response.json()["results"]]


class TestList:
    def test_a_node_is_listed_with_what_a_person_looks_for(self, vera: APIClient) -> None:
        n1 = node(domains=(domain("rack", "r1"),), address="10.0.0.1", is_spare=True)
        say(n1, signal(source=Source.SIMULATED))
        (row,) = vera.get("/api/v1/nodes").json()["results"]
        assert row["rack"]["name"] == "r1"
        assert row["cluster"]["name"] == "alder"
        assert row["node_class"]["accelerators"] == 0
        assert (row["grade"], row["stale"], row["source"]) == ("low", False, "simulated")
        assert (row["state"], row["is_spare"], row["reserved_for"]) == ("active", True, None)
        assert row["rank_of"] == []

    def test_a_stale_node_is_unknown_and_says_since_when(self, vera: APIClient) -> None:
        say(node(), stale_after_s=0)
        (row,) = vera.get("/api/v1/nodes").json()["results"]
        assert (row["grade"], row["stale"]) == ("unknown", True)
        assert row["reported_at"] is not None

    def test_filters_narrow_the_list(self, vera: APIClient) -> None:
        n1 = node("n1", domains=(domain("rack", "r1"),))
        n2 = node("n2", state="draining", is_spare=True)
        other = node("x3", cluster=cluster("birch"), node_class=node_class("hgx", 8))
        say(n1, signal(value=120))
        say(n2)
        for query, found in (
            ("grade=critical", ["n1"]),
            ("grade=low&grade=critical", ["n1", "n2"]),
            ("grade=unknown", ["x3"]),
            ("state=draining", ["n2"]),
            ("spare=true", ["n2"]),
            ("spare=false", ["n1", "x3"]),
            (f"cluster={other.cluster_id}", ["x3"]),
            (f"rack={n1.rack_id}", ["n1"]),
            ("class=hgx", ["x3"]),
            ("search=N", ["n1", "n2"]),
        ):
            assert names(vera.get(f"/api/v1/nodes?{query}")) == found, query

    def test_a_filter_with_a_value_that_cannot_be_is_refused(self, vera: APIClient) -> None:
        assert vera.get("/api/v1/nodes?cluster=alder").status_code == 422

    def test_pages_follow_each_other_in_the_order_of_names(self, vera: APIClient) -> None:
        for number in range(5):
            node(f"n{number}")
        first = vera.get("/api/v1/nodes?limit=2")
        second = vera.get(first.json()["next"])
        assert names(first) + names(second) == ["n0", "n1", "n2", "n3"]

    def test_nodes_of_another_tenant_do_not_exist(self, vera: APIClient) -> None:
        theirs = node("n1", tenant=tenant("borealis"))
        assert names(vera.get("/api/v1/nodes")) == []
        for path in ("", "/events", "/signals", "/spares"):
            assert vera.get(f"/api/v1/nodes/{theirs.id}{path}").status_code == 404


class TestExport:
    def test_every_node_that_matches_is_a_line(self, vera: APIClient) -> None:
        n1 = node("n1", domains=(domain("rack", "r1"),), address="10.0.0.1")
        node("n2", state="draining")
        say(n1)
        answer = vera.get("/api/v1/nodes/export?state=active")
        assert answer["Content-Type"].startswith("text/csv")
        (row,) = csv.DictReader(io.StringIO(answer.content.decode()))
        assert (row["name"], row["rack"], row["address"]) == ("n1", "r1", "10.0.0.1")
        assert (row["grade"], row["spare"], row["stale"]) == ("low", "no", "no")

    def test_a_value_is_never_a_formula(self, vera: APIClient) -> None:
        node("=1+1")
        answer = vera.get("/api/v1/nodes/export")
        assert answer.content.decode().splitlines()[1].startswith("'=1+1,")

    def test_a_problem_is_still_a_problem(self, vera: APIClient) -> None:
        answer = vera.get("/api/v1/nodes/export?cluster=alder", HTTP_ACCEPT="text/csv")
        assert answer.status_code == 422


class TestDetail:
    def test_the_grade_is_explained_signal_by_signal(self, vera: APIClient) -> None:
        n1 = node(node_class=node_class("hgx", 1))
        say(n1, signal("gpu_0_temperature", 90), signal("cpu_load", 3))
        shown = vera.get(f"/api/v1/nodes/{n1.id}").json()
        assert shown["verdict"]["grade"] == shown["grade"] == "high"
        assert shown["verdict"]["rule_version"] == 1
        assert shown["verdict"]["contributions"][0] == {
            "name": "gpu_0_temperature",
            "figure": 90.0,
            "unit": "celsius",
            "grade": "high",
            "source": "measured",
            "required": True,
            "reason": "90 celsius is at or above 88",
        }
        assert shown["verdict"]["contributions"][1]["grade"] is None

    def test_domains_devices_and_levels_are_shown(self, vera: APIClient) -> None:
        feed = domain("power", "feed-a")
        rack = domain("rack", "r1", feed)
        n1 = node(domains=(domain("switch", "leaf", rack), rack))
        say(
            n1,
            inventory=Inventory(
                devices=(SeenDevice(kind="gpu", index=0, model="H100"),),
                firmware=(("platform", "Linux"),),
            ),
        )
        shown = vera.get(f"/api/v1/nodes/{n1.id}").json()
        assert [(each["kind"], each["name"]) for each in shown["domains"]] == [
            ("power", "feed-a"),
            ("rack", "r1"),
            ("switch", "leaf"),
        ]
        assert shown["domains"][1]["parent"] == str(feed.id)
        assert (shown["devices"][0]["model"], shown["devices"][0]["memory_nbytes"]) == (
            "H100",
            None,
        )
        assert shown["firmware"] == {"platform": "Linux"}

    def test_what_can_be_done_says_why_it_cannot(
        self, vera: APIClient, otto: APIClient, settings: Any
    ) -> None:
        settings.FLEET_OCCUPANCY = "tests.apps.fleet.services.occupied.rank_3_everywhere"
        path = f"/api/v1/nodes/{node().id}"
        shown = otto.get(path).json()
        allowed = {each["state"]: each["reason"] for each in shown["allowed"]}
        assert allowed == {
            "draining": None,
            "quarantined": None,
            "maintenance": "It still holds ranks: swap them out first.",
            "retired": "It still holds ranks: swap them out first.",
        }
        assert (shown["rank_of"][0]["job_name"], shown["rank_of"][0]["rank"]) == ("gpt", 3)
        for each in vera.get(path).json()["allowed"]:
            assert (each["enabled"], each["reason"]) == (False, "This takes the role operator.")

    def test_signals_come_as_lines_with_gaps(self, vera: APIClient) -> None:
        n1 = node()
        say(n1, signal("cpu_load", 1), signal("temperature_0_cpu", None))
        (load, temperature) = vera.get(f"/api/v1/nodes/{n1.id}/signals").json()["signals"]
        assert [point["value"] for point in load["points"]] == [1.0]
        assert load["thresholds"] is None
        assert [point["value"] for point in temperature["points"]] == [None]
        assert (temperature["thresholds"]["medium"], temperature["source"]) == (90.0, "measured")

    def test_a_line_is_what_its_serializer_describes(self) -> None:
        n1 = node()
        say(n1, signal("cpu_load", 1), signal("temperature_0_cpu", None))
        for line in lines_get(node_id=n1.id, window=Window.ending(now=now())):
            assert line_shown(line) == LineOut(line).data

    def test_a_window_that_is_no_time_is_refused(self, vera: APIClient) -> None:
        answer = vera.get(f"/api/v1/nodes/{node().id}/signals?from=noon")
        assert answer.status_code == 422

    def test_spares_are_shown_with_what_speaks_against_them(self, vera: APIClient) -> None:
        n1 = node("n1")
        node("s1", is_spare=True)
        assert vera.get(f"/api/v1/nodes/{n1.id}/spares").json()[0]["refusal"] == (
            "its grade is unknown"
        )


class TestChanging:
    def test_an_operator_changes_a_state_with_a_reason(self, otto: APIClient) -> None:
        n1 = node()
        answer = otto.post(f"/api/v1/nodes/{n1.id}/state", {"state": "draining", "reason": "fan 3"})
        assert (answer.status_code, answer.json()["state"]) == (200, "draining")
        (event,) = otto.get(f"/api/v1/nodes/{n1.id}/events").json()["results"]
        assert (event["before"], event["after"], event["reason"]) == (
            "active",
            "draining",
            "fan 3",
        )
        assert event["actor"]["name"] == "otto"

    def test_a_viewer_may_not(self, vera: APIClient) -> None:
        n1 = node()
        answer = vera.post(f"/api/v1/nodes/{n1.id}/state", {"state": "draining", "reason": "x"})
        assert answer.status_code == 403
        assert answer.json()["who_can"] == ["operator"]

    def test_an_operator_of_another_tenant_finds_nothing(self, otto: APIClient) -> None:
        theirs = node(tenant=tenant("borealis"))
        for path, body in (
            ("state", {"state": "draining", "reason": "x"}),
            ("spare", {"is_spare": True}),
        ):
            assert otto.post(f"/api/v1/nodes/{theirs.id}/{path}", body).status_code == 404
        theirs.refresh_from_db()
        assert (theirs.state, theirs.is_spare) == ("active", False)

    def test_who_only_looks_at_one_tenant_may_not_act_there_as_operator_of_another(
        self,
    ) -> None:
        user = a_person("olga", Role.OPERATOR, tenant=tenant("borealis"))
        user.memberships.create(tenant=tenant(), roles=[Role.VIEWER], created_at=now())
        n1 = node()
        answer = a_browser(user).post(
            f"/api/v1/nodes/{n1.id}/state", {"state": "draining", "reason": "x"}
        )
        assert answer.status_code == 403

    def test_a_token_needs_the_scope(self) -> None:
        user = a_person("otto", Role.OPERATOR, tenant=tenant())
        path, body = f"/api/v1/nodes/{node().id}/state", {"state": "draining", "reason": "x"}
        reader = a_program(user, "read", tenant=tenant())
        assert reader.post(path, body).status_code == 403
        assert a_program(user, "fleet:write", tenant=tenant()).post(path, body).status_code == 200

    def test_what_the_state_does_not_allow_is_a_conflict_that_says_what_is(
        self, otto: APIClient
    ) -> None:
        n1 = node(state="quarantined")
        answer = otto.post(f"/api/v1/nodes/{n1.id}/state", {"state": "draining", "reason": "x"})
        assert answer.status_code == 409
        assert answer.json()["code"] == "transition_refused"
        assert set(answer.json()["allowed"]) == {"active", "maintenance", "retired"}

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"state": "draining"},
            {"state": "odd", "reason": "x"},
            {"state": "draining", "reason": ""},
        ],
    )
    def test_a_change_needs_a_state_and_a_reason(
        self, otto: APIClient, body: dict[str, str]
    ) -> None:
        assert otto.post(f"/api/v1/nodes/{node().id}/state", body).status_code == 422

    def test_a_node_that_is_not_there_is_not_found(self, otto: APIClient) -> None:
        body = {"state": "draining", "reason": "x"}
        assert otto.post(f"/api/v1/nodes/{new_id()}/state", body).status_code == 404

    def test_an_operator_keeps_a_node_as_spare(self, otto: APIClient) -> None:
        n1 = node()
        answer = otto.post(f"/api/v1/nodes/{n1.id}/spare", {"is_spare": True})
        assert (answer.status_code, answer.json()["is_spare"]) == (200, True)
