"""The committed schema is the one that the code makes, and says what a program needs."""

import json
from typing import Any

import pytest
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from drf_spectacular.validation import validate_schema

from apps.core.access import SCOPES, Role
from controlplane.environment import ROOT

COMMITTED = ROOT / "docs" / "reference" / "openapi.json"


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """Return the schema that the code makes now."""
    with GENERATOR_STATS.silence():
        # published without types
        made = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    rendered = OpenApiJsonRenderer().render(made, renderer_context={})
    read: dict[str, Any] = json.loads(rendered)
    return read


def operations(schema: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]


def test_the_committed_schema_is_up_to_date(schema: dict[str, Any]) -> None:
    assert json.loads(COMMITTED.read_text()) == schema, "run `make openapi`"


def test_the_schema_is_valid(schema: dict[str, Any]) -> None:
    validate_schema(schema)  # type: ignore[no-untyped-call] # as published


def test_every_operation_says_who_may(schema: dict[str, Any]) -> None:
    roles = {role.value for role in Role} | {None}
    for name, operation in operations(schema):
        if name != "GET /api/v1/schema":
            assert operation["x-hotswap-role"] in roles, name
            assert operation["x-hotswap-scope"] in SCOPES, name


def test_every_operation_says_what_it_does(schema: dict[str, Any]) -> None:
    silent = [name for name, operation in operations(schema) if not operation.get("description")]
    assert silent == []


def test_every_list_is_paged(schema: dict[str, Any]) -> None:
    for name, operation in operations(schema):
        answer = operation["responses"].get("200", {}).get("content", {})
        shown = answer.get("application/json", {}).get("schema", {})
        assert shown.get("type") != "array" or name in UNPAGED, name


# short by nature: as many as there are things in one screen
UNPAGED = {
    "GET /api/v1/jobs/{id}/ranks",
    "GET /api/v1/nodes/{id}/spares",
    "GET /api/v1/search",
}
