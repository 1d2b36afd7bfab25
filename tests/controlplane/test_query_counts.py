"""How many queries each address takes is written down, and does not grow with the rows.

A count that falls is welcome: with UPDATE_QUERY_COUNTS=1 in the environment this test writes the
file anew, and the change is seen where it is reviewed.
"""

import json
import os
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from apps.core.access import Role
from tests.apps.signed_in import a_browser, a_person
from tests.controlplane.addresses import Operation, Things, operations

COUNTS = Path(__file__).with_name("query_counts.json")
# who it is: session, person, roles
SIGNED_IN = 3

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]


@pytest.fixture
def things() -> Things:
    return Things()


@pytest.fixture
def reader(things: Things) -> APIClient:
    return a_browser(a_person("reader", *Role, tenant=things.world.tenant))


def reads() -> list[Operation]:
    return [one for one in operations() if one.method == "GET"]


def counted(reader: APIClient, operation: Operation, things: Things) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert reader.get(things.address(operation)).status_code in {200, 422}, operation.name
    return len(captured) - SIGNED_IN


def test_every_address_takes_the_queries_that_are_written_down(
    reader: APIClient, things: Things
) -> None:
    counts = {one.path: counted(reader, one, things) for one in reads()}
    if os.environ.get("UPDATE_QUERY_COUNTS"):
        COUNTS.write_text(json.dumps(counts, indent=2, sort_keys=True) + "\n")
    assert counts == json.loads(COUNTS.read_text())


def test_no_address_takes_many() -> None:
    assert {path: n for path, n in json.loads(COUNTS.read_text()).items() if n > 15} == {}
