"""Addresses of the port for browsers and programs."""

from importlib.util import find_spec

from django.conf import settings
from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView

from controlplane import health, views
from controlplane.front_end import front_end

API = "api/v1/"

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path(f"{API}schema", SpectacularAPIView.as_view(permission_classes=()), name="schema"),
    *(
        path(API, include(f"apps.{name}.urls"))
        for name in settings.APPS
        if name != "gateway" and find_spec(f"apps.{name}.urls")
    ),
    re_path(r"^(?:api|agent|ws)(?:/|$)", views.unknown_path),
    re_path(r"^", front_end, name="front-end"),
]

handler400 = "controlplane.views.bad_request"
handler403 = "controlplane.views.forbidden"
handler404 = "controlplane.views.unknown_path"
handler500 = "controlplane.views.fault"
