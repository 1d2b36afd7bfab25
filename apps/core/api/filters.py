"""Filters of lists by the query, each declared by the view and shown in the schema."""

from typing import Any

from django.core.exceptions import FieldError, ValidationError
from django.db.models import QuerySet
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.core.errors import Invalid


class FieldFilter(BaseFilterBackend):
    """Narrows a list by the parameters in the view's ``filter_fields``: {parameter: lookup}.

    A parameter that is given more than once matches any of its values. ``__isnull``, booleans and
    numbers are taken from text.
    """

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: APIView
    ) -> QuerySet[Any]:
        """Return the rows that match.

        Raises:
            Invalid: if a value is not one that the field can have.
        """
        for name, lookup in getattr(view, "filter_fields", {}).items():
            texts = [text for text in request.query_params.getlist(name) if text != ""]
            if not texts:
                continue
            if any("\0" in text for text in texts):
                raise Invalid(fields={name: ["Null characters are not allowed."]})
            values = [_value(text) for text in texts]
            condition = {lookup: values[0]} if len(values) == 1 else {f"{lookup}__in": values}
            try:
                queryset = queryset.filter(**condition)
            except (ValueError, TypeError, ValidationError, FieldError) as error:
                raise Invalid(fields={name: ["Not a value that this can have."]}) from error
        return queryset

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        """Return the parameters for the OpenAPI schema."""
        return [
            {"name": name, "required": False, "in": "query", "schema": {"type": "string"}}
            for name in getattr(view, "filter_fields", {})
        ]


def _value(text: str) -> str | bool:
    return {"true": True, "false": False}.get(text, text)
