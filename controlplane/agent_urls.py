"""Addresses of the port for agents, beside the gateway's: it answers /agent/ before Django does."""

from django.urls import path

from controlplane import health

urlpatterns = [path("healthz", health.healthz)]

handler400 = "controlplane.views.bad_request"
handler403 = "controlplane.views.forbidden"
handler404 = "controlplane.views.unknown_path"
handler500 = "controlplane.views.fault"
