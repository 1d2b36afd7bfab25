from typing import Any

import pytest
from rest_framework.test import APIClient

from apps.core.access import Role
from apps.core.ids import new_id
from apps.fleet.api.clusters import tile_shown
from apps.fleet.api.serializers import TileOut
from apps.fleet.selectors.layout import TILE
from apps.fleet.selectors.nodes import nodes_at
from tests.apps.fleet.making import NOW, cluster, domain, healthy, node, tenant
from tests.apps.fleet.services.occupied import rank_3_everywhere
from tests.apps.signed_in import a_browser, a_person

pytestmark = pytest.mark.django_db


@pytest.fixture
def vera() -> APIClient:
    return a_browser(a_person("vera", Role.VIEWER, tenant=tenant()))


def test_a_cluster_is_listed_with_the_nodes_that_one_may_see(vera: APIClient) -> None:
    node("n1")
    node("n2", tenant=tenant("borealis"))
    (row,) = vera.get("/api/v1/clusters").json()["results"]
    assert (row["name"], row["nodes_count"]) == ("alder", 1)


def test_a_cluster_in_which_one_has_no_node_does_not_exist(vera: APIClient) -> None:
    theirs = node("n1", tenant=tenant("borealis"))
    assert vera.get("/api/v1/clusters").json()["results"] == []
    assert vera.get(f"/api/v1/clusters/{theirs.cluster_id}/layout").status_code == 404
    assert vera.get(f"/api/v1/clusters/{new_id()}/layout").status_code == 404


def test_the_layout_shows_racks_with_tiles_domains_and_ranks(
    vera: APIClient, settings: Any
) -> None:
    settings.FLEET_OCCUPANCY = "tests.apps.fleet.services.occupied.rank_3_everywhere"
    feed = domain("power", "feed-a")
    r1, r2 = domain("rack", "r1", feed), domain("rack", "r2", feed)
    n10, n9 = node("n10", domains=(r1,)), node("n9", domains=(r1,), is_spare=True)
    node("n1", domains=(r2,))
    node("lost")
    node("old", state="retired", domains=(r1,))
    node("theirs", tenant=tenant("borealis"), domains=(domain("rack", "r3"),))
    shown = vera.get(f"/api/v1/clusters/{cluster().id}/layout").json()
    assert [
        (each["rack"]["name"] if each["rack"] else None, [tile["name"] for tile in each["nodes"]])
        for each in shown["racks"]
    ] == [("r1", ["n9", "n10"]), ("r2", ["n1"]), (None, ["lost"])]
    assert [each["name"] for each in shown["racks"][0]["shared"]] == ["feed-a"]
    assert {each["name"] for each in shown["domains"]} == {"feed-a", "r1", "r2"}
    assert set(shown["nodes_by_domain"][str(r1.id)]) == {str(n9.id), str(n10.id)}
    assert len(shown["nodes_by_domain"][str(feed.id)]) == 3
    tile = shown["racks"][0]["nodes"][0]
    assert (tile["grade"], tile["stale"], tile["is_spare"]) == ("unknown", False, True)
    assert tile["rank_of"][0]["rank"] == 3


def test_a_tile_is_what_its_serializer_describes() -> None:
    silent, reporting = node("n1"), node("n2", is_spare=True, reserved_for="swap:1")
    healthy(reporting)
    ranks = {silent.id: rank_3_everywhere(node_ids=[silent.id])[silent.id]}
    rows = {row["id"]: row for row in nodes_at(now=NOW).values(*TILE)}
    for each in nodes_at(now=NOW):
        described = TileOut(each, context={"ranks": ranks}).data
        assert tile_shown(rows[each.id], ranks=ranks.get(each.id, ())) == described


def test_the_rule_is_published(vera: APIClient) -> None:
    rule = vera.get("/api/v1/fleet/rule").json()
    temperature = next(each for each in rule["signals"] if each["name"] == "gpu_temperature")
    assert (rule["version"], temperature["high"], temperature["required"]) == (1, 88.0, True)


@pytest.mark.parametrize(
    "path",
    [
        "clusters",
        "nodes",
        "nodes/export",
        "fleet/rule",
        "clusters/00000000-0000-7000-8000-000000000000/layout",
    ],
)
def test_nobody_who_is_not_signed_in_sees_anything(path: str) -> None:
    assert APIClient().get(f"/api/v1/{path}").status_code in {401, 403}
