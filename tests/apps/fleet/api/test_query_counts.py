"""Queries of each endpoint: a number that may fall, and that no row more makes rise."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from apps.core.access import Role
from apps.core.clock import now
from apps.fleet.domain.signals import Report
from apps.fleet.models import Node
from apps.fleet.services.reports import node_reports_ingest
from tests.apps.fleet.making import cluster, domain, node, signal, tenant
from tests.apps.signed_in import a_browser, a_person

pytestmark = pytest.mark.django_db

# session, user, memberships
SIGNED_IN = 3
# savepoint and its release, where a view writes
EXPECTED = {
    "GET clusters": 1,
    "GET clusters/{cluster}/layout": 4,
    "GET fleet/rule": 0,
    "GET nodes": 1,
    "GET nodes/export": 1,
    "GET nodes/{node}": 4,
    "GET nodes/{node}/events": 2,
    "GET nodes/{node}/signals": 3,
    "GET nodes/{node}/spares": 5,
}


@pytest.fixture(autouse=True)
def _no_jobs(settings: Any) -> None:
    settings.FLEET_OCCUPANCY = "tests.apps.fleet.services.occupied.nothing"


@pytest.fixture
def vera() -> APIClient:
    return a_browser(a_person("vera", Role.VIEWER, tenant=tenant()))


def fleet(count: int, first: int = 0) -> Node:
    """Make nodes that have reported, a third of them spares; return the last."""
    racks = [domain("rack", f"r{number}", domain("power", "feed")) for number in range(3)]
    nodes = [
        node(f"n{number}", domains=(racks[number % 3],), is_spare=number % 3 == 0)
        for number in range(first, first + count)
    ]
    at = now()
    node_reports_ingest(
        reports=[
            Report(node_id=each.id, boot="b1", sequence=1, at=at, signals=(signal(),))
            for each in nodes
        ],
        at=at,
    )
    return nodes[-1]


def counted(client: APIClient, what: str, of: Node) -> int:
    path = what.removeprefix("GET ").format(node=of.id, cluster=cluster().id)
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == 200
    return len(captured) - SIGNED_IN


@pytest.mark.parametrize("what", EXPECTED)
def test_an_endpoint_takes_so_many_queries_however_many_nodes_there_are(
    vera: APIClient, what: str
) -> None:
    few = counted(vera, what, fleet(3))
    many = counted(vera, what, fleet(30, first=3))
    assert (few, many) == (EXPECTED[what], EXPECTED[what])
