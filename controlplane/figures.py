"""Figures for Prometheus: what this process has answered, and what the database holds."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.db.models import Count, Q, QuerySet
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily

from apps.accounts.models import Agent
from apps.approvals.models import Request
from apps.core import clock
from apps.core.models import OutboxMessage
from apps.fleet.selectors.nodes import nodes_at
from apps.jobs.models import Job
from apps.jobs.selectors.jobs import jobs_at
from apps.swaps.models import Swap

REGISTRY: Final = CollectorRegistry()
REQUESTS: Final = Counter(
    "hotswap_http_requests",
    "Requests answered.",
    ("method", "route", "status"),
    registry=REGISTRY,
)
SECONDS: Final = Histogram(
    "hotswap_http_request_seconds",
    "Time to the answer.",
    ("method", "route"),
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0),
    registry=REGISTRY,
)
# agents renew earlier than that, and try again for as long: what is left then, nobody can renew
LATE_SHARE: Final = 0.2


class Rows:
    """Counts rows when it is asked."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield each figure."""
        now = clock.now()
        # Sums over all tenants: who may read them is the operator of the plane.
        yield _counted("hotswap_nodes", nodes_at(now=now), grade="grade_now")
        running = jobs_at(now=now).filter(state="running")
        yield _counted("hotswap_running_jobs", running, protection="protection_now")
        yield _counted("hotswap_jobs", Job.objects.all(), state="state")
        yield _counted("hotswap_swaps", Swap.objects.all(), state="state")
        yield _counted("hotswap_approvals", Request.objects.all(), state="state")
        yield _certificates(now=now)
        unsent = OutboxMessage.objects.filter(sent_at=None)
        oldest = unsent.order_by("id").values_list("created_at", flat=True).first()
        yield GaugeMetricFamily("hotswap_outbox_unsent", "Messages.", value=unsent.count())
        yield GaugeMetricFamily(
            "hotswap_outbox_age_seconds",
            "Age of the oldest message that is not yet sent.",
            value=(now - oldest).total_seconds() if oldest else 0.0,
        )

    def describe(self) -> list[Any]:
        """Say nothing before it is asked: the database may not be there yet."""
        return []


def _counted(name: str, rows: QuerySet[Any], **label: str) -> GaugeMetricFamily:
    """Return how many rows have each value of a field; ``label`` is its name here and there."""
    ((shown, field),) = label.items()
    figure = GaugeMetricFamily(name, f"Rows by {shown}.", labels=(shown,))
    counts = rows.order_by().values_list(field).annotate(count=Count("pk"))
    for value, count in counts:
        figure.add_metric((str(value),), count)
    return figure


def _certificates(*, now: datetime) -> GaugeMetricFamily:
    """Return how many agents have a certificate that is good, late or expired."""
    late_at = now + LATE_SHARE * settings.HOTSWAP_CERTIFICATE_VALID
    is_good, is_expired = (
        Q(certificate_expires_at__gt=late_at),
        Q(certificate_expires_at__lte=now),
    )
    counts = Agent.objects.filter(revoked_at=None).aggregate(
        good=Count("pk", filter=is_good),
        late=Count("pk", filter=~is_good & ~is_expired),
        expired=Count("pk", filter=is_expired),
    )
    figure = GaugeMetricFamily(
        "hotswap_agent_certificates",
        "Agents by their certificate; late: less than a fifth of its time is left.",
        labels=("certificate",),
    )
    for certificate, count in counts.items():
        figure.add_metric((certificate,), count)
    return figure


REGISTRY.register(Rows())
