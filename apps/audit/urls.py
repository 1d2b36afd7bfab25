"""Addresses of this app."""

from django.urls import path

from apps.audit.api import AuditList, AuditVerify

urlpatterns = [
    path("audit", AuditList.as_view()),
    path("audit/verify", AuditVerify.as_view()),
]
