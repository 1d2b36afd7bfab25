"""Swaps over REST: in, one call, out."""

from typing import Any, ClassVar
from uuid import UUID

from django.db.models import Q, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import get_object_or_404
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core import clock
from apps.core.access import Role
from apps.core.api import TenantView
from apps.core.errors import Invalid, NotFound
from apps.jobs.models import Job
from apps.swaps.api.serializers import (
    AbortSerializer,
    CertificateSerializer,
    ProposalSerializer,
    SwapEventSerializer,
    SwapSerializer,
    SwapSummarySerializer,
)
from apps.swaps.models import Swap, SwapEvent
from apps.swaps.selectors.swaps import swaps_shown
from apps.swaps.services.driving import swap_advance
from apps.swaps.services.proposing import Proposal, swap_abort, swap_propose

_NODE = OpenApiParameter("node", str, description="Only those that touch this node.")
_WRITING: dict[str, str] = {"POST": "swaps:write"}


class SwapsView(ListModelMixin, TenantView[Swap]):
    """Swaps, newest first."""

    queryset = swaps_shown()
    serializer_class = SwapSummarySerializer
    required_scope: ClassVar[dict[str, str]] = _WRITING
    filter_fields: ClassVar[dict[str, str]] = {
        "state": "state",
        "kind": "kind",
        "job": "job_id",
        "rank": "rank",
    }

    def get_queryset(self) -> QuerySet[Swap]:
        """Return what may be seen, or what of it touches a node."""
        rows = super().get_queryset()
        node = self.request.query_params.get("node")
        if not node:
            return rows
        try:
            node_id = UUID(node)
        except ValueError as error:
            raise Invalid(fields={"node": ["Not an id."]}) from error
        return rows.filter(Q(source_node_id=node_id) | Q(target_node_id=node_id))

    @extend_schema(parameters=[_NODE])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # noqa: ANN401 - passed on
        """List swaps."""
        return self.list(request, *args, **kwargs)

    @extend_schema(request=ProposalSerializer, responses={201: SwapSerializer})
    def post(self, request: Request) -> Response:
        """Propose a swap; it is planned, and its approval asked for, before the answer comes."""
        body = ProposalSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        wanted, now = body.validated_data, clock.now()
        job = Job.objects.filter(id=wanted["job"]).values("tenant_id").first()
        if job is None:
            raise NotFound
        self.require(job["tenant_id"])
        proposal = Proposal(
            job_id=wanted["job"],
            rank=wanted["rank"],
            reason=wanted["reason"],
            target_node_id=wanted["target_node"],
        )
        swap = swap_propose(proposal=proposal, actor=self.actor, now=now)
        swap_advance(swap_id=swap.id, now=now)
        return _shown(self, swap.id, status=201)


def _shown(view: TenantView[Any], swap_id: UUID, *, status: int = 200) -> Response:
    swap = swaps_shown().get(id=swap_id)
    context = view.get_serializer_context()
    return Response(SwapSerializer(swap, context=context).data, status=status)


class SwapView(RetrieveModelMixin, TenantView[Swap]):
    """One swap."""

    queryset = swaps_shown()
    serializer_class = SwapSerializer

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # noqa: ANN401 - passed on
        """Show one swap."""
        return self.retrieve(request, *args, **kwargs)


class SwapAbortView(TenantView[Swap]):
    """Give a swap up."""

    queryset = Swap.objects.all()
    serializer_class = AbortSerializer
    required_scope: ClassVar[dict[str, str]] = _WRITING

    @extend_schema(request=AbortSerializer, responses=SwapSerializer)
    def post(self, request: Request, id: UUID) -> Response:  # noqa: ARG002 - get_object reads it
        """Withdraw what was not begun; ask the coordinator to give up what was."""
        swap, now = self.get_object(), clock.now()
        body = AbortSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        swap_abort(swap_id=swap.id, actor=self.actor, reason=body.validated_data["reason"], now=now)
        swap_advance(swap_id=swap.id, now=now)
        return _shown(self, swap.id)


class SwapEventsView(ListModelMixin, TenantView[SwapEvent]):
    """What has happened to a swap, in its order."""

    queryset = SwapEvent.objects.all()
    serializer_class = SwapEventSerializer
    tenant_field = "swap__tenant_id"
    ordering = ("sequence", "id")

    def get_queryset(self) -> QuerySet[SwapEvent]:
        """Return the events of one swap."""
        rows = super().get_queryset()
        if getattr(self, "swagger_fake_view", False):
            return rows
        swaps = Swap.objects.filter(tenant_id__in=self.tenants())
        return rows.filter(swap=get_object_or_404(swaps, id=self.kwargs["id"]))

    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # noqa: ANN401 - passed on
        """List events."""
        return self.list(request, *args, **kwargs)


class SwapCertificateView(TenantView[Swap]):
    """The certificate of a swap."""

    queryset = Swap.objects.select_related("certificate")
    serializer_class = CertificateSerializer  # type: ignore[assignment] # shows a row of the swap
    required_role: ClassVar[dict[str, Role | None]] = {"GET": Role.VIEWER}

    @extend_schema(responses=CertificateSerializer)
    def get(self, request: Request, id: UUID) -> Response:  # noqa: ARG002 - get_object reads it
        """Show the certificate, and whether its digest still holds."""
        swap = self.get_object()
        if swap.certificate is None:
            raise NotFound("The runtime has not certified this swap yet.")
        return Response(CertificateSerializer(swap.certificate).data)
