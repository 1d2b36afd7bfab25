"""A process says whether it lives, whether it can serve, and what it has done."""

import re
from datetime import timedelta

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django import Settings

from apps.accounts.models import Agent
from apps.core import clock
from apps.core.models import OutboxMessage
from tests.apps.jobs.making import NOW, agent, tenant
from tests.apps.signed_in import AT

pytestmark = pytest.mark.django_db


def test_a_process_that_answers_lives(client: Client) -> None:
    assert client.get("/healthz").json() == {"ok": True}


def test_a_process_with_its_database_is_ready(client: Client) -> None:
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["checks"]["database"]) == (200, "ok")


def test_a_schema_that_is_behind_is_not_ready(client: Client) -> None:
    MigrationRecorder.Migration.objects.filter(app="audit").delete()
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["database"] == "2 migrations are to be run"


def test_a_broker_that_does_not_answer_is_not_ready(client: Client, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    answer = client.get("/readyz")
    assert answer.json() == {
        "ok": False,
        "checks": {"database": "ok", "broker": "does not answer"},
    }


def test_figures_count_requests_by_route_and_rows_by_state(client: Client) -> None:
    OutboxMessage.objects.create(topic="live", kind="a", payload={}, created_at=AT)
    client.get("/api/v1/agents/0190f5a4-0000-7000-8000-000000000000")
    text = client.get("/metrics").content.decode()
    assert (
        'hotswap_http_requests_total{method="GET",route="api/v1/agents/<uuid:id>",status="401"}'
        in text
    )
    assert "hotswap_outbox_unsent 1.0" in text


def test_figures_tell_whose_certificate_was_not_renewed(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.HOTSWAP_CERTIFICATE_VALID = timedelta(days=10)
    for name, days in (("n1", 5), ("n2", 2.1), ("n3", 1.9), ("n4", 0), ("n5", -3)):
        made = agent(tenant(), name)
        made.certificate_expires_at = NOW + timedelta(days=days)
        made.save()
    Agent.objects.filter(node="n5").update(revoked_at=NOW)
    monkeypatch.setattr(clock, "now", lambda: NOW)
    text = client.get("/metrics").content.decode()
    figures = re.findall(r'hotswap_agent_certificates{certificate="(\w+)"} (\S+)', text)
    assert figures == [("good", "2.0"), ("late", "1.0"), ("expired", "1.0")]


def test_figures_are_kept_from_whoever_has_no_token(client: Client, settings: Settings) -> None:
    settings.HOTSWAP_METRICS_TOKEN = "scraper"  # noqa: S105 - of the test
    assert client.get("/metrics").status_code == 401
    shown = client.get("/metrics", headers={"Authorization": "Bearer scraper"})
    assert shown.status_code == 200
