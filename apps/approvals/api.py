"""Approvals over REST."""

from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.generics import get_object_or_404
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request as HttpRequest
from rest_framework.response import Response

from apps.approvals.models import Request
from apps.approvals.selectors import approvals_waiting_for
from apps.approvals.serializers import (
    ApproveSerializer,
    RefuseSerializer,
    RequestDetailSerializer,
    RequestSerializer,
)
from apps.approvals.services import Decision, approval_decide
from apps.core import clock
from apps.core.access import Role
from apps.core.api import TenantView

_MINE = OpenApiParameter("mine", bool, description="Only those that you can decide now.")


class RequestsView(ListModelMixin, TenantView[Request]):
    """Requests for approval, newest first."""

    queryset = Request.objects.all()
    serializer_class = RequestSerializer
    filter_fields: ClassVar[dict[str, str]] = {
        "state": "state",
        "subject_kind": "subject_kind",
        "subject": "subject_id",
    }

    def get_queryset(self) -> QuerySet[Request]:
        """Return what may be seen, or what waits for who asks."""
        rows = super().get_queryset()
        if self.request.query_params.get("mine") == "true":
            waiting = approvals_waiting_for(actor=self.actor, now=clock.now())
            rows = rows.filter(id__in=waiting.values("id"))
        return rows

    @extend_schema(parameters=[_MINE])
    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:  # noqa: ANN401 - passed on
        """List requests."""
        return self.list(request, *args, **kwargs)


class RequestView(RetrieveModelMixin, TenantView[Request]):
    """One request for approval."""

    queryset = Request.objects.all()
    serializer_class = RequestDetailSerializer

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:  # noqa: ANN401 - passed on
        """Show one request."""
        return self.retrieve(request, *args, **kwargs)


class _DecideView(TenantView[Request]):
    """What both decisions have in common."""

    queryset = Request.objects.all()
    # who may see it may try: the service says who could decide, and why this one can't
    required_role: ClassVar[dict[str, Role | None]] = {"POST": Role.VIEWER}
    required_scope: ClassVar[dict[str, str]] = {"POST": "approvals:write"}
    approve: ClassVar[bool]

    def decide(self, request: HttpRequest, request_id: UUID) -> Response:
        """Take a decision, and show what became of it."""
        found = get_object_or_404(self.get_queryset(), id=request_id)
        body = self.get_serializer(data=request.data)
        body.is_valid(raise_exception=True)
        decision = Decision(approve=self.approve, **body.validated_data)
        decided = approval_decide(
            request_id=found.id, actor=self.actor, decision=decision, now=clock.now()
        )
        context = self.get_serializer_context()
        return Response(RequestDetailSerializer(decided, context=context).data)


class ApproveView(_DecideView):
    """Say yes to exactly one plan."""

    serializer_class = ApproveSerializer
    approve = True

    @extend_schema(request=ApproveSerializer, responses=RequestDetailSerializer)
    def post(self, request: HttpRequest, id: UUID) -> Response:
        """Approve."""
        return self.decide(request, id)


class RefuseView(_DecideView):
    """Say no, and why."""

    serializer_class = RefuseSerializer
    approve = False

    @extend_schema(request=RefuseSerializer, responses=RequestDetailSerializer)
    def post(self, request: HttpRequest, id: UUID) -> Response:
        """Refuse."""
        return self.decide(request, id)
