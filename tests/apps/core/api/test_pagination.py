"""Pages neither repeat nor leave out a row, whatever is added meanwhile."""

import pytest

from apps.accounts.models import Agent
from apps.core.access import Role
from tests.apps.core.api.test_views import a_row
from tests.apps.signed_in import a_browser, a_person, ids

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.apps.core.api.probe")]


def test_all_rows_are_on_the_pages_once_newest_first() -> None:
    rows = [a_row(f"n{number}") for number in range(7)]
    browser = a_browser(a_person("vi", Role.VIEWER))
    found, address = [], "/rows?limit=3"
    while address:
        page = browser.get(address)
        found.append(ids(page))
        a_row(f"new{len(found)}")
        address = page.json()["next"]
    newest_first = [row.id for row in reversed(rows)]
    assert found == [newest_first[:3], newest_first[3:6], newest_first[6:]]


def test_one_can_go_back() -> None:
    for number in range(4):
        a_row(f"n{number}")
    browser = a_browser(a_person("vi", Role.VIEWER))
    first = browser.get("/rows?limit=2")
    second = browser.get(first.json()["next"])
    assert ids(browser.get(second.json()["previous"])) == ids(first)


def test_a_page_has_a_limit() -> None:
    Agent.objects.bulk_create(
        Agent(
            tenant=row.tenant,
            node=f"b{number}",
            serial=f"b{number}",
            fingerprint=f"b{number}",
            certificate_expires_at=row.created_at,
            created_at=row.created_at,
        )
        for row in [a_row()]
        for number in range(250)
    )
    browser = a_browser(a_person("vi", Role.VIEWER))
    assert len(ids(browser.get("/rows?limit=1000000"))) == 200
    assert len(ids(browser.get("/rows"))) == 50


@pytest.mark.parametrize("cursor", ["nonsense", "cD1ub25zZW5zZQ==", "cD0wMQ=="])
def test_a_cursor_that_nobody_gave_is_the_askers_mistake(cursor: str) -> None:
    a_row()
    answer = a_browser(a_person("vi", Role.VIEWER)).get(f"/rows?cursor={cursor}")
    assert answer.status_code in {404, 422}
    assert answer.headers["Content-Type"] == "application/problem+json"
