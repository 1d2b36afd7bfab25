"""Fleets for tests."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from apps.accounts.models import Tenant
from apps.fleet.domain.signals import Report, Signal, Source
from apps.fleet.models import Cluster, FailureDomain, Node, NodeClass
from apps.fleet.services.reports import node_reports_ingest

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def tenant(slug: str = "aurora") -> Tenant:
    return Tenant.objects.get_or_create(
        slug=slug, defaults={"name": slug.title(), "created_at": NOW}
    )[0]


def cluster(name: str = "alder") -> Cluster:
    return Cluster.objects.get_or_create(name=name, defaults={"created_at": NOW})[0]


def node_class(name: str = "cpu", accelerators: int | None = 0) -> NodeClass:
    return NodeClass.objects.get_or_create(
        name=name, defaults={"created_at": NOW, "accelerators": accelerators}
    )[0]


def domain(kind: str, name: str, parent: FailureDomain | None = None) -> FailureDomain:
    return FailureDomain.objects.get_or_create(
        cluster=cluster(), kind=kind, name=name, defaults={"parent": parent, "created_at": NOW}
    )[0]


def node(name: str = "n1", *, domains: tuple[FailureDomain, ...] = (), **changes: Any) -> Node:
    fields: dict[str, Any] = {
        "tenant": tenant(),
        "cluster": cluster(),
        "name": name,
        "node_class": node_class(),
        "rack": next((each for each in domains if each.kind == "rack"), None),
        "state_at": NOW,
        "created_at": NOW,
    }
    made = Node.objects.create(**(fields | changes))
    made.domains.set(domains)
    return made


def signal(
    name: str = "temperature_0_cpu", value: float | None = 40, source: Source = Source.MEASURED
) -> Signal:
    return Signal(name=name, value=value, unit="celsius", source=source)


def report(
    of: Node | UUID, *signals: Signal, sequence: int = 1, second: float = 0, **changes: Any
) -> Report:
    fields: dict[str, Any] = {
        "node_id": of if isinstance(of, UUID) else of.id,
        "boot": "b1",
        "sequence": sequence,
        "at": NOW + timedelta(seconds=second),
        "signals": signals or (signal(),),
    }
    return Report(**(fields | changes))


def ingest(*reports: Report, second: float = 0, stale_after_s: float = 15) -> Any:
    return node_reports_ingest(
        reports=reports, at=NOW + timedelta(seconds=second), stale_after_s=stale_after_s
    )


def healthy(*nodes: Node, second: float = 0, stale_after_s: float = 15) -> None:
    """Let nodes report that they are fine."""
    ingest(
        *(report(each, second=second, sequence=1 + int(second)) for each in nodes),
        second=second,
        stale_after_s=stale_after_s,
    )


def at(second: float) -> datetime:
    return NOW + timedelta(seconds=second)
