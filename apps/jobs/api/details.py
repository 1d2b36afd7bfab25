"""REST: what belongs to one job."""

from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from apps.core.api import FieldFilter, Pages, PlaneView
from apps.core.clock import now
from apps.core.errors import NotFound
from apps.jobs.api.requests import CurveIn
from apps.jobs.api.serializers import (
    CertificateOut,
    CommandOut,
    CurveOut,
    JobEventOut,
    MemberOut,
    RankRowOut,
)
from apps.jobs.models import Certificate, Command, Job, JobEvent, Member
from apps.jobs.selectors.jobs import job_get
from apps.jobs.selectors.losses import losses_get
from apps.jobs.selectors.ranks import ranks_get

M = TypeVar("M", bound=Model)


class OfJobView(PlaneView, GenericAPIView[M]):
    """Rows that belong to one job, by pages."""

    pagination_class = Pages
    filter_backends = (FieldFilter,)

    def job(self, job_id: UUID) -> Job:
        """Return the job. Raises JobUnknown where the actor may not see it."""
        return job_get(job_id=job_id, tenants=self.tenants(), now=now())

    def page(self, rows: QuerySet[M]) -> Response:
        """Answer with a page of the rows that match."""
        page = self.paginate_queryset(self.filter_queryset(rows))
        return self.get_paginated_response(self.get_serializer(page, many=True).data)


class JobLossView(PlaneView):
    """Losses of a job over its committed steps."""

    @extend_schema(operation_id="job_loss", parameters=[CurveIn], responses=CurveOut)
    def get(self, request: Request, id: UUID) -> Response:
        """Show."""
        asked = CurveIn(data=request.query_params)
        asked.is_valid(raise_exception=True)
        job = job_get(job_id=id, tenants=self.tenants(), now=now())
        curve = losses_get(
            job_id=job.id,
            from_step=asked.validated_data["from_step"],
            points_max=asked.validated_data["max_points"],
        )
        points = [
            {
                "epoch": each.epoch,
                "step": each.step,
                "loss": each.loss,
                "validation_loss": each.validation_loss,
                "step_s": each.step_s,
            }
            for each in curve.points
        ]
        # thousands of points: already what their serializer would make of them
        return Response(
            {
                "points": points,
                "steps": curve.steps,
                "thinned": curve.thinned,
                "truncated": curve.truncated,
            }
        )


class JobRanksView(PlaneView):
    """Ranks of a job, each with its owner and what protects it."""

    @extend_schema(operation_id="job_ranks", responses=RankRowOut(many=True))
    def get(self, request: Request, id: UUID) -> Response:
        """List."""
        del request
        at = now()
        job = job_get(job_id=id, tenants=self.tenants(), now=at)
        return Response([RankRowOut(each).data for each in ranks_get(job=job, now=at)])


class JobMemberListView(OfJobView[Member]):
    """Processes that a job has or had, the newest first."""

    serializer_class = MemberOut
    queryset = Member.objects.none()
    filter_fields: Any = {"role": "role", "state": "state", "node": "node_id"}

    @extend_schema(operation_id="job_member_list")
    def get(self, request: Request, id: UUID) -> Response:
        """List."""
        del request
        return self.page(Member.objects.filter(job=self.job(id)).select_related("node"))


class JobEventListView(OfJobView[JobEvent]):
    """What happened to a job, the newest first."""

    serializer_class = JobEventOut
    queryset = JobEvent.objects.none()
    ordering = ("-sequence",)
    filter_fields: Any = {"kind": "kind", "rank": "rank", "member": "member", "epoch": "epoch"}

    @extend_schema(operation_id="job_event_list")
    def get(self, request: Request, id: UUID) -> Response:
        """List."""
        del request
        return self.page(JobEvent.objects.filter(job=self.job(id)))


class JobCommandListView(OfJobView[Command]):
    """What agents were told about a job, the newest first."""

    serializer_class = CommandOut
    queryset = Command.objects.none()
    filter_fields: Any = {"kind": "kind", "state": "state", "node": "node_id"}

    @extend_schema(operation_id="job_command_list")
    def get(self, request: Request, id: UUID) -> Response:
        """List."""
        del request
        return self.page(Command.objects.filter(job=self.job(id)).select_related("node"))


class JobCertificateListView(OfJobView[Certificate]):
    """Certificates of a job's changes of owner, the newest first."""

    serializer_class = CertificateOut
    queryset = Certificate.objects.none()
    filter_fields: Any = {"swap": "swap"}

    @extend_schema(operation_id="job_certificate_list")
    def get(self, request: Request, id: UUID) -> Response:
        """List."""
        del request
        return self.page(Certificate.objects.filter(job=self.job(id)))


class JobCertificateView(PlaneView):
    """One certificate."""

    @extend_schema(operation_id="job_certificate_get", responses=CertificateOut)
    def get(self, request: Request, id: UUID, certificate: UUID) -> Response:
        """Show."""
        del request
        job = job_get(job_id=id, tenants=self.tenants(), now=now())
        found = Certificate.objects.filter(job=job, id=certificate).first()
        if found is None:
            raise NotFound
        return Response(CertificateOut(found).data)
