"""Clusters, failure domains, and who stands where."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from uuid import UUID

from django.db.models import Count, Q, QuerySet, Subquery

from apps.fleet.domain.layout import Domain, domains_above
from apps.fleet.models import Cluster, FailureDomain, Node


def clusters_visible(*, tenants: Collection[UUID]) -> QuerySet[Cluster]:
    """Return the clusters in which tenants have nodes, with ``nodes_count`` of theirs."""
    ours = Q(nodes__tenant_id__in=tenants)
    return Cluster.objects.annotate(nodes_count=Count("nodes", filter=ours)).filter(
        nodes_count__gt=0
    )


def domains_by_id(*, cluster_ids: Collection[UUID]) -> dict[UUID, Domain]:
    """Return every failure domain of clusters; one query."""
    rows = FailureDomain.objects.filter(cluster_id__in=cluster_ids)
    return {
        row.id: Domain(id=row.id, kind=row.kind, name=row.name, parent_id=row.parent_id)
        for row in rows
    }


def domain_ids_by_node(
    *, node_ids: Collection[UUID] | Subquery, domains: dict[UUID, Domain]
) -> defaultdict[UUID, frozenset[UUID]]:
    """Return the domains of nodes, those above included; one query. Many ids: a subquery."""
    above: dict[UUID, frozenset[UUID]] = {}
    found: defaultdict[UUID, frozenset[UUID]] = defaultdict(frozenset)
    rows: Iterable[tuple[UUID, UUID]] = Node.domains.through.objects.filter(
        node_id__in=node_ids
    ).values_list("node_id", "failuredomain_id")
    for node_id, domain_id in rows:
        if domain_id not in above:
            above[domain_id] = frozenset(domains_above(domains=domains, domain_id=domain_id))
        found[node_id] |= above[domain_id]
    return found
