"""REST: jobs."""

from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.access import Role
from apps.core.api import PlaneView, TenantView
from apps.core.clock import now
from apps.core.errors import Invalid
from apps.fleet.api.nodes import CsvRenderer
from apps.fleet.selectors.places import clusters_visible
from apps.jobs.api.requests import JobIn, StopIn
from apps.jobs.api.serializers import JobOut
from apps.jobs.models import Job
from apps.jobs.selectors.jobs import job_get, jobs_at
from apps.jobs.services import job_stop, job_submit

#: Rows of an exported list.
EXPORT_ROWS_MAX = 20_000
EXPORT_COLUMNS = (
    "name", "cluster", "state", "world_size", "epoch", "committed_step", "protection", "loss",
    "validation_loss", "step_time_s", "samples_per_s", "goodput", "reported_at", "created_at",
    "ended_at",
)  # fmt: skip


class JobsView(TenantView[Job]):
    """Jobs that the actor may see, as they are now."""

    queryset = Job.objects.all()
    serializer_class = JobOut
    filter_fields: ClassVar = {
        "state": "state",
        "cluster": "cluster_id",
        "protection": "protection_now",
        "attached": "attached",
        "search": "name__icontains",
    }

    def get_queryset(self) -> QuerySet[Job]:
        """Return the jobs with their protection as it is now."""
        if getattr(self, "swagger_fake_view", False):
            return Job.objects.none()
        return jobs_at(now=now()).filter(tenant_id__in=self.tenants())


class JobListView(JobsView):
    """Jobs by pages; the newest first."""

    required_scope: ClassVar = {"POST": "jobs:write"}

    @extend_schema(operation_id="job_list")
    def get(self, request: Request) -> Response:
        """List."""
        del request
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        return self.get_paginated_response(JobOut(page, many=True).data)

    @extend_schema(operation_id="job_submit", request=JobIn, responses={201: JobOut})
    def post(self, request: Request) -> Response:
        """Submit a job; its nodes are found at once, or as soon as there are enough."""
        given = JobIn(data=request.data)
        given.is_valid(raise_exception=True)
        tenant_id = self.tenant_for_new(given.validated_data["tenant"])
        cluster_id = given.validated_data["cluster"]
        if not clusters_visible(tenants=[tenant_id]).filter(id=cluster_id).exists():
            raise Invalid(fields={"cluster": ["The tenant has no node in such a cluster."]})
        job = job_submit(
            tenant_id=tenant_id,
            cluster_id=cluster_id,
            wish=given.wish(),
            actor=self.actor,
            at=now(),
        )
        return _answer(self, job_id=job.id, status=201)


class JobExportView(JobsView):
    """All jobs that match, in CSV."""

    renderer_classes = (CsvRenderer, JSONRenderer)

    @extend_schema(operation_id="job_export", responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request) -> Response:
        """Export."""
        del request
        jobs = self.filter_queryset(self.get_queryset()).order_by("-id")
        rows = [_line(JobOut(job).data) for job in jobs[:EXPORT_ROWS_MAX]]
        return Response(
            [EXPORT_COLUMNS, *rows],
            headers={"Content-Disposition": 'attachment; filename="jobs.csv"'},
            content_type="text/csv; charset=utf-8",
        )


class JobView(PlaneView):
    """One job."""

    @extend_schema(operation_id="job_get", responses=JobOut)
    def get(self, request: Request, id: UUID) -> Response:
        """Show."""
        del request
        return _answer(self, job_id=id)


class JobStopView(PlaneView):
    """The end of a job."""

    required_role: ClassVar = {"POST": Role.OPERATOR}
    required_scope: ClassVar = {"POST": "jobs:write"}

    @extend_schema(operation_id="job_stop", request=StopIn, responses=JobOut)
    def post(self, request: Request, id: UUID) -> Response:
        """Ask for it; it has stopped once its nodes have said so."""
        given = StopIn(data=request.data)
        given.is_valid(raise_exception=True)
        job = job_get(job_id=id, tenants=self.tenants(), now=now())
        self.require(job.tenant_id)
        job_stop(job_id=id, reason=given.validated_data["reason"], actor=self.actor, at=now())
        return _answer(self, job_id=id)


def _answer(view: PlaneView, *, job_id: UUID, status: int = 200) -> Response:
    """Answer with a job as it is now."""
    job = job_get(job_id=job_id, tenants=view.tenants(), now=now())
    return Response(JobOut(job).data, status=status)


def _line(listed: dict[str, Any]) -> tuple[str, ...]:
    """Return a job as a line of an export."""
    values = {**listed, "cluster": listed["cluster"]["name"]}
    return tuple(_cell(values[name]) for name in EXPORT_COLUMNS)


def _cell(value: Any) -> str:  # noqa: ANN401 - a JSON value
    """Return a value that a spreadsheet takes for text, and never for a formula."""
    if value is None:
        return ""
    text = str(value)
    is_formula = isinstance(value, str) and text.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{text}" if is_formula else text
