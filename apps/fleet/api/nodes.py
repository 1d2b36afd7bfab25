"""REST: nodes, their history, their signals, and what is done with them."""

import csv
import io
from datetime import datetime
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.access import Role
from apps.core.api import Pages, PlaneView, TenantView
from apps.core.clock import now
from apps.fleet.api.moments import moment
from apps.fleet.api.requests import SpareIn, StateIn, WindowIn
from apps.fleet.api.serializers import (
    NodeDetailOut,
    NodeEventOut,
    NodeOut,
    SignalsOut,
    SpareOut,
    ThresholdsOut,
)
from apps.fleet.domain.states import NodeState
from apps.fleet.limits import EXPORT_ROWS_MAX
from apps.fleet.models import Node, NodeEvent
from apps.fleet.selectors.charts import Line, Window, lines_get
from apps.fleet.selectors.details import node_details
from apps.fleet.selectors.nodes import node_get, nodes_at
from apps.fleet.selectors.occupancy import ranks_held
from apps.fleet.selectors.spares import SpareQuestion, spares_ranked
from apps.fleet.services.spares import node_spare_set
from apps.fleet.services.states import node_state_change

# columns of an export, and where they come from
EXPORTED: Final = {
    "name": "name",
    "cluster": "cluster__name",
    "class": "node_class__name",
    "rack": "rack__name",
    "address": "address",
    "state": "state",
    "spare": "is_spare",
    "reserved_for": "reserved_for",
    "grade": "grade_now",
    "stale": "is_stale",
    "source": "source_now",
    "reported_at": "reported_at",
}


class NodesView(TenantView[Node]):
    """Nodes that the actor may see, as they are now."""

    queryset = Node.objects.all()
    serializer_class = NodeOut
    ordering = ("name", "id")
    filter_fields: ClassVar = {
        "grade": "grade_now",
        "state": "state",
        "cluster": "cluster_id",
        "rack": "rack_id",
        "class": "node_class__name",
        "spare": "is_spare",
        "search": "name__icontains",
    }

    def get_queryset(self) -> QuerySet[Node]:
        """Return the nodes with their grades as they are now."""
        if getattr(self, "swagger_fake_view", False):
            return Node.objects.none()
        return nodes_at(now=now()).filter(tenant_id__in=self.tenants())


class NodeListView(NodesView):
    """Nodes by pages."""

    @extend_schema(operation_id="node_list")
    def get(self, request: Request) -> Response:
        """List."""
        del request
        page = list(self.paginate_queryset(self.filter_queryset(self.get_queryset())) or ())
        context = {"ranks": ranks_held(node_ids=[node.id for node in page])}
        return self.get_paginated_response(NodeOut(page, many=True, context=context).data)


class CsvRenderer(BaseRenderer):
    """Lines of values, as spreadsheets read them."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def render(self, data: Any, *_args: Any, **_kwargs: Any) -> bytes:  # noqa: ANN401 - as the framework has it
        """Return the rows in CSV; anything that is no list of rows is a problem's text."""
        text = io.StringIO()
        csv.writer(text).writerows(data if isinstance(data, list) else [[str(data)]])
        return text.getvalue().encode()


class NodeExportView(NodesView):
    """All nodes that match, in CSV."""

    renderer_classes = (CsvRenderer, JSONRenderer)

    @extend_schema(operation_id="node_export", responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request) -> Response:
        """Export."""
        del request
        nodes = self.filter_queryset(self.get_queryset()).order_by(*self.ordering)
        rows = nodes.values_list(*EXPORTED.values())[:EXPORT_ROWS_MAX]
        return Response(
            [tuple(EXPORTED), *(tuple(map(_cell, row)) for row in rows)],
            headers={"Content-Disposition": 'attachment; filename="nodes.csv"'},
            content_type="text/csv; charset=utf-8",
        )


class NodeView(PlaneView):
    """One node."""

    @extend_schema(operation_id="node_get", responses=NodeDetailOut)
    def get(self, request: Request, id: UUID) -> Response:
        """Show."""
        del request
        at = now()
        node = node_get(node_id=id, tenants=self.tenants(), now=at)
        shown = node_details(node=node, actor=self.actor, now=at)
        return Response(NodeDetailOut(shown.node, context={"ranks": shown.ranks}).data)


class NodeEventListView(PlaneView, GenericAPIView[NodeEvent]):
    """What has happened to a node, newest first."""

    serializer_class = NodeEventOut
    pagination_class = Pages
    queryset = NodeEvent.objects.none()

    @extend_schema(operation_id="node_event_list")
    def get(self, request: Request, id: UUID) -> Response:
        """List."""
        del request
        node = node_get(node_id=id, tenants=self.tenants(), now=now())
        page = self.paginate_queryset(NodeEvent.objects.filter(node=node))
        return self.get_paginated_response(NodeEventOut(page, many=True).data)


class NodeSignalsView(PlaneView):
    """Signals of a node over time; gaps are points without a value."""

    @extend_schema(
        operation_id="node_signals",
        parameters=[
            OpenApiParameter("from", OpenApiTypes.DATETIME),
            OpenApiParameter("to", OpenApiTypes.DATETIME),
        ],
        responses=SignalsOut,
    )
    def get(self, request: Request, id: UUID) -> Response:
        """Show."""
        asked = WindowIn(data=request.query_params)
        asked.is_valid(raise_exception=True)
        at = now()
        node = node_get(node_id=id, tenants=self.tenants(), now=at)
        window = Window.ending(
            now=at, start=asked.validated_data.get("from"), end=asked.validated_data.get("to")
        )
        lines = lines_get(node_id=node.id, window=window)
        return Response(
            {
                "start": moment(window.start),
                "end": moment(window.end),
                "signals": [line_shown(line) for line in lines],
            }
        )


def line_shown(line: Line) -> dict[str, Any]:
    """Return a line as `LineOut` describes it, written out for the sake of its many points."""
    return {
        "name": line.name,
        "unit": line.unit,
        "source": line.source.value,
        "thresholds": None if line.rule is None else ThresholdsOut(line.rule).data,
        "points": [{"at": moment(point.at), "value": point.value} for point in line.points],
    }


class NodeSparesView(PlaneView):
    """Spares that might take over from a node, the best first."""

    @extend_schema(operation_id="node_spares", responses=SpareOut(many=True))
    def get(self, request: Request, id: UUID) -> Response:
        """List."""
        del request
        at = now()
        node = node_get(node_id=id, tenants=self.tenants(), now=at)
        choices = spares_ranked(question=SpareQuestion(node_id=node.id), now=at)
        return Response(SpareOut(choices, many=True).data)


class NodeStateView(PlaneView):
    """A node's state."""

    required_role: ClassVar = {"POST": Role.OPERATOR}
    required_scope: ClassVar = {"POST": "fleet:write"}

    @extend_schema(operation_id="node_state_change", request=StateIn, responses=NodeDetailOut)
    def post(self, request: Request, id: UUID) -> Response:
        """Change it."""
        given = StateIn(data=request.data)
        given.is_valid(raise_exception=True)
        at = now()
        node = node_get(node_id=id, tenants=self.tenants(), now=at)
        self.require(node.tenant_id)
        node_state_change(
            node_id=node.id,
            target=NodeState(given.validated_data["state"]),
            reason=given.validated_data["reason"],
            actor=self.actor,
            at=at,
        )
        return _answer(self, node_id=id)


class NodeSpareView(PlaneView):
    """Whether a node is kept as a spare."""

    required_role: ClassVar = {"POST": Role.OPERATOR}
    required_scope: ClassVar = {"POST": "fleet:write"}

    @extend_schema(operation_id="node_spare_set", request=SpareIn, responses=NodeDetailOut)
    def post(self, request: Request, id: UUID) -> Response:
        """Change it."""
        given = SpareIn(data=request.data)
        given.is_valid(raise_exception=True)
        at = now()
        node = node_get(node_id=id, tenants=self.tenants(), now=at)
        self.require(node.tenant_id)
        node_spare_set(
            node_id=node.id, is_spare=given.validated_data["is_spare"], actor=self.actor, at=at
        )
        return _answer(self, node_id=id)


def _answer(view: PlaneView, *, node_id: UUID) -> Response:
    """Answer with the node as it has become."""
    at = now()
    node = node_get(node_id=node_id, tenants=view.tenants(), now=at)
    shown = node_details(node=node, actor=view.actor, now=at)
    return Response(NodeDetailOut(shown.node, context={"ranks": shown.ranks}).data)


def _cell(value: object) -> str:
    """Return a value that a spreadsheet takes for text, and never for a formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.isoformat()
    text = str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
