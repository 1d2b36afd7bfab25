"""A process says whether it lives, whether it can serve, and what it has done."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from pytest_django import Settings

from apps.accounts.models import Agent
from apps.core import clock
from apps.core.models import OutboxMessage
from apps.jobs.domain.protection import STALE_AFTER
from apps.jobs.models import Job
from tests.apps.jobs.making import NOW, agent, fleet, submitted, tenant
from tests.apps.signed_in import AT

DOCS: Final = Path(__file__).parents[2] / "docs" / "reference"
LITTLE: Final = timedelta(milliseconds=1)

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


def test_figures_know_nothing_of_what_was_not_heard_of_lately(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet(tenant())
    kept: dict[str, Any] = {"state": "running", "protection": "protected"}
    for name, heard_at in (("a", NOW - STALE_AFTER), ("b", NOW - STALE_AFTER - LITTLE)):
        made = submitted(tenant(), name=name)
        Job.objects.filter(id=made.id).update(reported_at=heard_at, **kept)
    ended = submitted(tenant(), name="c")
    Job.objects.filter(id=ended.id).update(state="finished", protection="protected")
    monkeypatch.setattr(clock, "now", lambda: NOW)
    text = client.get("/metrics").content.decode()
    figures = re.findall(r'hotswap_running_jobs{protection="(\w+)"} (\S+)', text)
    assert sorted(figures) == [("protected", "1.0"), ("unknown", "1.0")]
    assert 'hotswap_jobs{state="finished"} 1.0' in text


def test_every_figure_is_in_the_reference(client: Client) -> None:
    client.get("/healthz")
    text = client.get("/metrics").content.decode()
    shown = re.findall(r"^# TYPE (hotswap_\w+) (\w+)$", text, re.MULTILINE)
    page = (DOCS / "metrics.md").read_text()
    told = re.findall(r"^\| `(hotswap_\w+)` \| (\w+) \|", page, re.MULTILINE)
    made = [each for each in shown if not each[0].endswith("_created")]
    assert sorted(told) == sorted(made)


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
