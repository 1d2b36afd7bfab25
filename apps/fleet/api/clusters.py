"""REST: clusters and how they stand."""

from collections import defaultdict
from collections.abc import Mapping
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
from apps.fleet.api.serializers import ClusterOut, LayoutOut, RuleBookOut
from apps.fleet.domain.rules import RULE_VERSION, RULES
from apps.fleet.models import Cluster
from apps.fleet.selectors.layout import Layout, layout_get
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
        shown = _shown(cluster=cluster, layout=layout)
        return Response(LayoutOut(shown, context={"ranks": layout.ranks}).data)


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
    nodes_by_domain: dict[str, list[UUID]] = defaultdict(list)
    for rack in layout.racks:
        for tile in rack.tiles:
            for domain_id in sorted(tile.domain_ids):
                nodes_by_domain[str(domain_id)].append(tile.id)
    return {
        "cluster": cluster,
        "racks": [
            {
                "rack": rack.domain,
                "shared": rack.shared,
                "nodes": [layout.nodes[tile.id] for tile in rack.tiles],
            }
            for rack in layout.racks
        ],
        "domains": sorted(layout.domains.values(), key=lambda each: (each.kind, each.name)),
        "nodes_by_domain": nodes_by_domain,
    }
