"""Addresses of this app."""

from django.urls import path

from apps.accounts.api import agents, people, session, tokens

urlpatterns = [
    path("session", session.SessionView.as_view()),
    path("tokens", tokens.TokenList.as_view()),
    path("tokens/<uuid:id>", tokens.TokenDetail.as_view()),
    path("tenants", people.TenantList.as_view()),
    path("members", people.MemberList.as_view()),
    path("members/<uuid:id>", people.MemberDetail.as_view()),
    path("agents", agents.AgentList.as_view()),
    path("agents/<uuid:id>", agents.AgentDetail.as_view()),
    path("agents/<uuid:id>/revoke", agents.AgentRevoke.as_view()),
    path("enrol-tokens", agents.EnrolTokenList.as_view()),
]
