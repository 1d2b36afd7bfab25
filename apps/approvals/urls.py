"""Addresses of approvals."""

from django.urls import path

from apps.approvals import api

urlpatterns = [
    path("approvals", api.RequestsView.as_view(), name="approvals"),
    path("approvals/<uuid:id>", api.RequestView.as_view(), name="approval"),
    path("approvals/<uuid:id>/approve", api.ApproveView.as_view(), name="approval-approve"),
    path("approvals/<uuid:id>/refuse", api.RefuseView.as_view(), name="approval-refuse"),
]
