from typing import Any

import pytest
from rest_framework.test import APIClient

from apps.core.access import Role
from apps.fleet.models import Node
from tests.apps.fleet.domain.imports.reading import sample
from tests.apps.fleet.making import node, tenant
from tests.apps.signed_in import a_browser, a_person

pytestmark = pytest.mark.django_db

YAML = {"format": "yaml", "text": sample("fleet.yaml")}


@pytest.fixture
def root() -> APIClient:
    return a_browser(a_person("root", Role.ADMIN, tenant=tenant()))


def bring(client: APIClient, **body: Any) -> Any:
    return client.post("/api/v1/fleet/import", body)


def test_a_dry_run_shows_what_would_change(root: APIClient) -> None:
    answer = bring(root, **YAML, dry_run=True)
    assert answer.status_code == 200
    shown = answer.json()
    assert (shown["applied"], shown["cluster"], shown["kept"]) == (False, "alder", 0)
    assert shown["changes"][-1] == {
        "action": "add",
        "what": "node",
        "name": "n5",
        "fields_changed": [],
    }
    assert not Node.objects.exists()


def test_an_import_is_done_once(root: APIClient) -> None:
    assert bring(root, **YAML).json()["applied"]
    again = bring(root, **YAML).json()
    assert (again["changes"], again["kept"]) == ([], 3)
    assert Node.objects.filter(tenant=tenant()).count() == 3


def test_a_difference_is_shown_field_by_field(root: APIClient) -> None:
    node("n1")
    text = "name,class,address\nn1,cpu,10.0.0.1\n"
    answer = bring(root, format="csv", text=text, cluster="alder", dry_run=True)
    assert answer.json()["changes"][0]["fields_changed"] == [
        {"name": "address", "before": "", "after": "10.0.0.1"}
    ]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "format"),
        ({"format": "xml", "text": "x"}, "format"),
        ({"format": "yaml", "text": "nodes: ["}, "text"),
        ({"format": "csv", "text": "name,class\nn1,c\n"}, "cluster"),
        ({"format": "kubectl", "text": "{}", "cluster": "a"}, "text"),
        ({"format": "scontrol", "text": "no nodes", "cluster": "a"}, "text"),
    ],
)
def test_what_cannot_be_read_is_refused_at_its_field(
    root: APIClient, body: dict[str, str], field: str
) -> None:
    answer = bring(root, **body)
    assert answer.status_code == 422
    assert field in answer.json()["fields"]


def test_only_an_administrator_imports() -> None:
    otto = a_browser(a_person("otto", Role.OPERATOR, tenant=tenant()))
    answer = bring(otto, **YAML)
    assert answer.status_code == 403
    assert answer.json()["who_can"] == ["admin"]


def test_nobody_imports_into_a_tenant_of_others(root: APIClient) -> None:
    answer = bring(root, **YAML, tenant=str(tenant("borealis").id))
    assert answer.status_code == 404
    assert not Node.objects.exists()
