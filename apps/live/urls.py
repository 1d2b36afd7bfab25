"""Addresses of overview and search in the API."""

from django.urls import path

from apps.live.api import OverviewView, SearchView

urlpatterns = [
    path("overview", OverviewView.as_view(), name="overview"),
    path("search", SearchView.as_view(), name="search"),
]
