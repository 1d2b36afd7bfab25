"""Rows of this app; one module per noun."""

from apps.accounts.models.agents import Agent, EnrolToken
from apps.accounts.models.people import Membership, Tenant, User
from apps.accounts.models.tokens import ApiToken

__all__ = ["Agent", "ApiToken", "EnrolToken", "Membership", "Tenant", "User"]
