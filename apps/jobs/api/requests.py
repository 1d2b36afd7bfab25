"""What the API is asked to do with jobs. What is possible, `domain.wishes` says."""

from typing import Any

from rest_framework import serializers

from apps.jobs.domain.wishes import COORDINATORS_MAX, RANKS_MAX, STANDBYS_MAX, JobWish
from apps.jobs.selectors.losses import POINTS_DEFAULT, POINTS_MAX
from apps.jobs.services.rows import REASON_LENGTH_MAX

_STEP_MAX = 2**62
_INTEGER_MAX = 2**31 - 1
_SEED_MAX = 2**63 - 1


class JobIn(serializers.Serializer[Any]):
    """A job."""

    # may be left out by whoever has one tenant
    tenant = serializers.UUIDField(required=False, allow_null=True, default=None)
    cluster = serializers.UUIDField()
    name = serializers.CharField(max_length=64)
    script = serializers.CharField(max_length=4096)
    arguments = serializers.ListField(
        child=serializers.CharField(allow_blank=True, trim_whitespace=False), default=list
    )
    ranks = serializers.IntegerField(min_value=1, max_value=RANKS_MAX)
    standbys = serializers.IntegerField(min_value=0, max_value=STANDBYS_MAX, default=0)
    coordinators = serializers.IntegerField(min_value=1, max_value=COORDINATORS_MAX, default=2)
    environment = serializers.DictField(
        child=serializers.CharField(allow_blank=True, trim_whitespace=False), default=dict
    )
    checkpoint_every_steps = serializers.IntegerField(
        min_value=1, max_value=_INTEGER_MAX, required=False, allow_null=True, default=None
    )
    seed = serializers.IntegerField(
        min_value=-_SEED_MAX, max_value=_SEED_MAX, required=False, allow_null=True, default=None
    )
    directory = serializers.CharField(max_length=4096, allow_blank=True, default="")

    def wish(self) -> JobWish:
        """Return the job that is asked for."""
        values = {**self.validated_data}
        values.pop("tenant"), values.pop("cluster")
        return JobWish(**values)


class StopIn(serializers.Serializer[Any]):
    """Why a job is to end."""

    reason = serializers.CharField(max_length=REASON_LENGTH_MAX, allow_blank=True, default="")


class CurveIn(serializers.Serializer[Any]):
    """How much of a curve is wanted."""

    from_step = serializers.IntegerField(min_value=0, max_value=_STEP_MAX, default=0)
    max_points = serializers.IntegerField(min_value=2, max_value=POINTS_MAX, default=POINTS_DEFAULT)
