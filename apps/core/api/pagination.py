"""Pages by cursor: stable while rows are added, and as fast at the end as at the beginning."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.core.errors import Invalid

PAGE_ROWS: int = 50
PAGE_ROWS_MAX: int = 200


class Pages(CursorPagination):
    """``?cursor=`` and ``?limit=``; the body is {"next", "previous", "results"}.

    Newest first, unless the view has an ``ordering`` of its own: a tuple of fields that ends with a
    unique one.
    """

    page_size = PAGE_ROWS
    max_page_size = PAGE_ROWS_MAX
    page_size_query_param = "limit"
    ordering = ("-id",)

    def paginate_queryset(
        self, queryset: QuerySet[Any] | Sequence[Any], request: Request, view: APIView | None = None
    ) -> list[Any] | None:
        """Return one page.

        Raises:
            Invalid: if the cursor was not given by this list.
        """
        self.ordering = tuple(getattr(view, "ordering", None) or self.ordering)
        try:
            page: list[Model] | None = super().paginate_queryset(queryset, request, view)
        except (ValueError, TypeError, ValidationError, OverflowError) as error:
            raise Invalid(fields={"cursor": ["Not a cursor of this list."]}) from error
        return page
