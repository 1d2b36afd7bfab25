"""REST: clusters and how they stand."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.api import Pages, PlaneView
from apps.core.clock import now
from apps.core.errors import NotFound
from apps.fleet.api.moments import moment
from apps.fleet.api.serializers import (
    ClusterOut,
    DomainOut,
    LayoutOut,
    NamedOut,
    RankOut,
    RuleBookOut,
)
from apps.fleet.domain.rules import RULE_VERSION, RULES
from apps.fleet.models import Cluster
from apps.fleet.selectors.layout import Layout, layout_get
from apps.fleet.selectors.occupancy import HeldRank
from apps.fleet.selectors.places import clusters_visible


class ClusterListView(PlaneView, GenericAPIView[Cluster]):
    """Clusters in which the actor's tenants have nodes."""

    serializer_class = ClusterOut
    pagination_class = Pages
    ordering = ("name", "id")

    def get_queryset(self) -> QuerySet[Cluster]:
        """Return the clusters that the actor may see."""
        if getattr(self, "swagger_fake_view", False):
            return Cluster.objects.none()
        return clusters_visible(tenants=self.tenants())

    @extend_schema(operation_id="cluster_list")
    def get(self, request: Request) -> Response:
        """List."""
        del request
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(ClusterOut(page, many=True).data)


class LayoutView(PlaneView):
    """Racks of a cluster, with a tile for each node."""

    @extend_schema(operation_id="cluster_layout", responses=LayoutOut)
    def get(self, request: Request, id: UUID) -> Response:
        """Show."""
        del request
        tenants = self.tenants()
        cluster = clusters_visible(tenants=tenants).filter(id=id).first()
        if cluster is None:
            raise NotFound
        layout = layout_get(cluster_id=id, tenants=tenants, now=now())
        return Response(_shown(cluster=cluster, layout=layout))


class RuleView(PlaneView):
    """The rule that makes grades, as it is now."""

    @extend_schema(operation_id="fleet_rule", responses=RuleBookOut)
    def get(self, request: Request) -> Response:
        """Show."""
        del request
        book = RULES[RULE_VERSION]
        return Response(
            RuleBookOut({"version": book.version, "signals": list(book.signals.values())}).data
        )


def _shown(*, cluster: Cluster, layout: Layout) -> Mapping[str, Any]:
    """Return a layout as it is answered."""
    nodes_by_domain: dict[str, list[str]] = defaultdict(list)
    for rack in layout.racks:
        for tile in rack.tiles:
            for domain_id in sorted(tile.domain_ids):
                nodes_by_domain[str(domain_id)].append(str(tile.id))
    return {
        "cluster": NamedOut(cluster).data,
        "racks": [
            {
                "rack": None if rack.domain is None else DomainOut(rack.domain).data,
                "shared": DomainOut(rack.shared, many=True).data,
                "nodes": [
                    tile_shown(layout.nodes[tile.id], ranks=layout.ranks.get(tile.id, ()))
                    for tile in rack.tiles
                ],
            }
            for rack in layout.racks
        ],
        "domains": DomainOut(
            sorted(layout.domains.values(), key=lambda each: (each.kind, each.name)), many=True
        ).data,
        "nodes_by_domain": nodes_by_domain,
    }


def tile_shown(node: Mapping[str, Any], *, ranks: Sequence[HeldRank]) -> dict[str, Any]:
    """Return a tile as `TileOut` describes it.

    Written out, since a picture holds thousands: the serializer takes ten times as long.
    """
    reported_at = node["reported_at"]
    return {
        "id": str(node["id"]),
        "name": node["name"],
        "state": node["state"],
        "is_spare": node["is_spare"],
        "reserved_for": node["reserved_for"],
        "grade": node["grade_now"],
        "stale": node["is_stale"],
        "source": node["source_now"],
        "reported_at": None if reported_at is None else moment(reported_at),
        "rank_of": RankOut(ranks, many=True).data if ranks else [],
    }
