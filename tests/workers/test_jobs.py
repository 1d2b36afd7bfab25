"""Jobs are looked after without anybody asking."""

import pytest

from apps.jobs.models import Command, Member
from apps.jobs.services.commands import BEGIN_WITHIN
from tests.apps.jobs.making import fleet, fresh, later, placed, run_all, submitted, tenant
from workers.jobs import look

pytestmark = pytest.mark.django_db


def test_a_submitted_job_is_started_once_however_often_it_is_looked_at() -> None:
    fleet(tenant())
    job = submitted(tenant())
    for seconds in (1, 2):
        look(now=lambda: later(seconds))  # noqa: B023 - called at once
    assert fresh(job).state == "starting"
    assert Member.objects.count() == 5


def test_every_open_job_is_looked_at_and_late_commands_expire() -> None:
    fleet(tenant())
    first = placed(tenant(), ranks=1, standbys=0)
    run_all(first)
    second = submitted(tenant(), name="bert", ranks=1, standbys=0)
    look(now=lambda: later(1))
    assert fresh(second).state == "starting"
    late = BEGIN_WITHIN.total_seconds() + 2
    look(now=lambda: later(late))
    starts = Command.objects.filter(job=second, fence=1)
    assert set(starts.values_list("state", flat=True)) == {"expired"}
