"""Addresses of the port for browsers and programs."""

from django.urls import URLPattern, URLResolver, include, path, re_path
from drf_spectacular.views import SpectacularAPIView

from controlplane import health, views
from controlplane.front_end import front_end

APPS = ("accounts", "audit", "fleet", "jobs", "approvals", "swaps", "webhooks", "live")

api: list[URLPattern | URLResolver] = [
    path("schema", SpectacularAPIView.as_view(permission_classes=()), name="schema"),
    *(path("", include(f"apps.{name}.urls")) for name in APPS),
]

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("api/v1/", include(api)),
    re_path(r"^(?:api|agent|ws)(?:/|$)", views.unknown_path),
    re_path(r"^", front_end, name="front-end"),
]

handler400 = "controlplane.views.bad_request"
handler403 = "controlplane.views.forbidden"
handler404 = "controlplane.views.unknown_path"
handler500 = "controlplane.views.fault"
