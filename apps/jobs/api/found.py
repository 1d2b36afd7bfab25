"""REST: jobs that run without the plane."""

from typing import ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.access import Role
from apps.core.api import PlaneView, TenantView
from apps.core.clock import now
from apps.core.errors import NotFound
from apps.jobs.api.serializers import FoundJobOut, JobOut
from apps.jobs.models import FoundJob
from apps.jobs.selectors.jobs import job_get
from apps.jobs.services import job_attach


class FoundJobListView(TenantView[FoundJob]):
    """Jobs of `hotswap run` that agents have found, and that are not followed."""

    queryset = FoundJob.objects.select_related("node")
    serializer_class = FoundJobOut
    tenant_field = "node__tenant_id"
    filter_fields: ClassVar = {"node": "node_id", "search": "name__icontains"}

    @extend_schema(operation_id="found_job_list")
    def get(self, request: Request) -> Response:
        """List."""
        del request
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        return self.get_paginated_response(FoundJobOut(page, many=True).data)


class FoundJobAttachView(PlaneView):
    """A job of `hotswap run` becomes one that is followed."""

    required_role: ClassVar = {"POST": Role.OPERATOR}
    required_scope: ClassVar = {"POST": "jobs:write"}

    @extend_schema(operation_id="job_attach", request=None, responses={201: JobOut})
    def post(self, request: Request, id: UUID) -> Response:
        """Follow it."""
        del request
        found = FoundJob.objects.filter(id=id).select_related("node").first()
        if found is None:
            raise NotFound
        self.require(found.node.tenant_id)
        job = job_attach(found_id=found.id, actor=self.actor, at=now())
        shown = job_get(job_id=job.id, tenants=self.tenants(), now=now())
        return Response(JobOut(shown).data, status=201)
