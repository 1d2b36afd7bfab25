"""Bases of the API: who asks, what they may see, pages, filters, repeated requests."""

from apps.core.api.filters import FieldFilter
from apps.core.api.pagination import Pages
from apps.core.api.views import PlaneView, TenantView

__all__ = ["FieldFilter", "Pages", "PlaneView", "TenantView"]
