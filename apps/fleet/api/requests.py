"""What the API is asked to do."""

from typing import Any

from rest_framework import serializers

from apps.fleet.api.serializers import STATES
from apps.fleet.domain.imports import FORMATS, TEXT_NBYTES_MAX
from apps.fleet.domain.imports.values import NAME_LENGTH_MAX
from apps.fleet.limits import REASON_LENGTH_MAX


class StateIn(serializers.Serializer[Any]):
    """A state for a node, and why."""

    state = serializers.ChoiceField(choices=STATES)
    reason = serializers.CharField(max_length=REASON_LENGTH_MAX)


class SpareIn(serializers.Serializer[Any]):
    """Whether a node is kept as a spare."""

    is_spare = serializers.BooleanField()


class WindowIn(serializers.Serializer[Any]):
    """A stretch of time; what is not given is as wide as it can be."""

    # `from` is a word of the language
    vars()["from"] = serializers.DateTimeField(required=False)
    to = serializers.DateTimeField(required=False)


class FleetIn(serializers.Serializer[Any]):
    """A fleet as another system writes it down."""

    tenant = serializers.UUIDField(required=False, allow_null=True, default=None)
    format = serializers.ChoiceField(choices=FORMATS)
    text = serializers.CharField(max_length=TEXT_NBYTES_MAX, trim_whitespace=False)
    # needed where the text does not name it
    cluster = serializers.CharField(
        max_length=NAME_LENGTH_MAX, required=False, allow_blank=True, default=""
    )
    dry_run = serializers.BooleanField(default=False)
