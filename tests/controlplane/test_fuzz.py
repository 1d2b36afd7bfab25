"""Requests that nobody thought of, made from the schema: no fault, no answer it does not tell."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
import requests
import schemathesis
from django.db import transaction
from django.http import HttpResponse
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
)

from apps.core.access import Role
from tests.apps.signed_in import a_browser, a_person
from tests.controlplane.addresses import Operation, Things, operations

REQUESTS_EACH = 12
# what Django refuses before any view: other hosts, broken headers
CHECKS: Any = [not_a_server_error, content_type_conformance, response_schema_conformance]

# who asks is settled
IDENTITY = {"authorization", "cookie"}

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(600)]


@pytest.fixture
def things() -> Things:
    return Things()


@pytest.fixture
def everybody(things: Things) -> APIClient:
    """Return the browser of somebody who may everything."""
    client = a_browser(a_person("everybody", *Role, tenant=things.world.tenant))
    client.raise_request_exception = False
    return client


def as_schemathesis() -> Any:
    with GENERATOR_STATS.silence():
        # published without types
        made = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return schemathesis.openapi.from_dict(made)


def sent(client: APIClient, case: Any, address: str) -> HttpResponse:
    """Send a case in a transaction that is undone."""
    media = case.media_type or "application/json"
    body = case.body if isinstance(case.body, dict | list | str | int | float | None) else {}
    with transaction.atomic():
        answer: HttpResponse = client.generic(
            case.method,
            address,
            data=json.dumps(body) if case.method != "GET" else "",
            content_type=media,
            QUERY_STRING=urlencode(case.query or {}, doseq=True),
            headers={
                name: value
                for name, value in (case.headers or {}).items()
                if value.isascii() and value.isprintable() and name.lower() not in IDENTITY
            },
        )
        transaction.set_rollback(True)
    return answer


def as_checked(answer: HttpResponse, case: Any, address: str) -> schemathesis.Response:
    """Return an answer in the shape that the checks know."""
    return schemathesis.Response(
        status_code=answer.status_code,
        headers={name.lower(): [value] for name, value in answer.items()},
        content=answer.content,
        request=requests.Request(case.method, f"http://plane{address}").prepare(),
        elapsed=0.0,
        verify=False,
    )


def test_no_request_is_answered_with_a_fault_or_with_what_the_schema_does_not_tell(
    things: Things, everybody: APIClient
) -> None:
    schema = as_schemathesis()
    wrong: dict[str, str] = {}
    for operation in operations():
        if operation.path == "/api/v1/session":
            # who signs out can ask nothing more; signing in has tests of its own
            continue
        try:
            fuzz(schema, operation, things, everybody)
        except FailureGroup as group:
            wrong[operation.name] = "\n".join(str(each) for each in group.exceptions)[:1500]
    assert wrong == {}


def fuzz(schema: Any, operation: Operation, things: Things, client: APIClient) -> None:
    """Send many requests to one operation, half of them about things that there are."""
    real = things.address(operation)

    @settings(
        max_examples=REQUESTS_EACH,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=schema[operation.path][operation.method].as_strategy(), is_real=st.booleans())
    def once(case: Any, *, is_real: bool) -> None:
        address = real if is_real else case.formatted_path
        answer = sent(client, case, address)
        case.validate_response(as_checked(answer, case, address), checks=CHECKS)

    once()
