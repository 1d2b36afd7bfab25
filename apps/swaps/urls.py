"""Addresses of swaps."""

from django.urls import path

from apps.swaps.api import controls, views

urlpatterns = [
    path("swaps", views.SwapsView.as_view(), name="swaps"),
    path("swaps/brake", controls.BrakeView.as_view(), name="swaps-brake"),
    path("swaps/limits", controls.LimitsView.as_view(), name="swaps-limits"),
    path("swaps/holds", controls.HoldsView.as_view(), name="swaps-holds"),
    path(
        "swaps/holds/<uuid:id>/release",
        controls.HoldReleaseView.as_view(),
        name="swaps-hold-release",
    ),
    path("swaps/<uuid:id>", views.SwapView.as_view(), name="swap"),
    path("swaps/<uuid:id>/events", views.SwapEventsView.as_view(), name="swap-events"),
    path("swaps/<uuid:id>/abort", views.SwapAbortView.as_view(), name="swap-abort"),
    path(
        "swaps/<uuid:id>/certificate",
        views.SwapCertificateView.as_view(),
        name="swap-certificate",
    ),
]
