"""REST: the overview, and search over everything that has a page. Reads alone."""

from typing import Any, Final

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.approvals.selectors import approvals_waiting_for
from apps.core import clock
from apps.core.api import PlaneView
from apps.fleet.domain.grades import Grade
from apps.fleet.selectors.spares import nodes_by_grade, spares_summary
from apps.jobs.api.serializers import JobOut
from apps.jobs.selectors.jobs import jobs_open
from apps.live.finding import KINDS, QUERY_LENGTH_MAX, find
from apps.swaps.api.serializers import SwapSummarySerializer
from apps.swaps.selectors.swaps import swap_last, swaps_open

#: Jobs and swaps that an overview shows; the lists have all of them.
JOBS_SHOWN_MAX: Final = 50
SWAPS_SHOWN_MAX: Final = 50

_TENANT = OpenApiParameter("tenant", str, description="Only what belongs to this tenant.")
_QUERY = OpenApiParameter("q", str, required=True, description="Part of a name, or an id.")


class SparesOut(serializers.Serializer[Any]):
    """The reserve of spares against its target."""

    ready = serializers.IntegerField()
    reserved = serializers.IntegerField()
    # free, but not in a state to take over
    unfit = serializers.IntegerField()
    target_percent = serializers.FloatField(allow_null=True)
    percent = serializers.FloatField(allow_null=True)


class GradeCountsOut(serializers.Serializer[Any]):
    """Nodes of each grade."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """Return a count for each grade that there is."""
        return {grade.value: serializers.IntegerField() for grade in Grade}


class OverviewOut(serializers.Serializer[Any]):
    """Whether anything is wrong, and whether it needs you."""

    jobs = JobOut(many=True)
    nodes_by_grade = GradeCountsOut()
    spares = SparesOut()
    swaps_open = SwapSummarySerializer(many=True)
    approvals_waiting_for_me = serializers.IntegerField()
    last_swap = SwapSummarySerializer(allow_null=True)
    at = serializers.DateTimeField()


class HitOut(serializers.Serializer[Any]):
    """Something that was found, and where its page is."""

    kind = serializers.ChoiceField(choices=KINDS)
    id = serializers.UUIDField()
    name = serializers.CharField()
    path = serializers.CharField()


class OverviewView(PlaneView):
    """The overview."""

    @extend_schema(operation_id="overview", parameters=[_TENANT], responses=OverviewOut)
    def get(self, _request: Request) -> Response:
        """Answer from one moment."""
        at, tenants = clock.now(), self.tenants()
        waiting = approvals_waiting_for(actor=self.actor, now=at).filter(tenant_id__in=tenants)
        overview = {
            "jobs": jobs_open(tenants=tenants, now=at)[:JOBS_SHOWN_MAX],
            "nodes_by_grade": nodes_by_grade(tenants=tenants, now=at),
            "spares": spares_summary(tenants=tenants, now=at),
            "swaps_open": swaps_open(tenants=tenants)[:SWAPS_SHOWN_MAX],
            "approvals_waiting_for_me": waiting.count(),
            "last_swap": swap_last(tenants=tenants),
            "at": at,
        }
        return Response(OverviewOut(overview, context={"now": at}).data)


class SearchView(PlaneView):
    """Search."""

    @extend_schema(operation_id="search", parameters=[_QUERY, _TENANT], responses=HitOut(many=True))
    def get(self, request: Request) -> Response:
        """Find by name or id; nothing for an empty question."""
        # a null character is in no name, and PostgreSQL refuses it
        text = request.query_params.get("q", "").replace("\0", "").strip()[:QUERY_LENGTH_MAX]
        hits = find(text=text, tenants=self.tenants()) if text else []
        return Response(HitOut(hits, many=True).data)
