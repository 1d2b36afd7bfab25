"""Addresses of webhooks in the API."""

from django.urls import path

from apps.webhooks.api import DeliveryListView, WebhookListView, WebhookView

urlpatterns = [
    path("webhooks", WebhookListView.as_view(), name="webhooks"),
    path("webhooks/<uuid:id>", WebhookView.as_view(), name="webhook"),
    path("webhooks/<uuid:id>/deliveries", DeliveryListView.as_view(), name="webhook-deliveries"),
]
