"""Addresses of the port for agents, which takes client certificates."""

from importlib.util import find_spec

from django.conf import settings
from django.urls import include, path

from controlplane import health

urlpatterns = [
    path("healthz", health.healthz),
    *(
        path("agent/v1/", include(f"apps.{name}.urls"))
        for name in settings.APPS
        if name == "gateway" and find_spec(f"apps.{name}.urls")
    ),
]

handler400 = "controlplane.views.bad_request"
handler403 = "controlplane.views.forbidden"
handler404 = "controlplane.views.unknown_path"
handler500 = "controlplane.views.fault"
