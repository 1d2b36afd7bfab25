"""Questions about who is who."""

from apps.accounts.selectors.actors import actor_of_token, actor_of_user
from apps.accounts.selectors.agents import agent_by_fingerprint, certificate_good
from apps.accounts.selectors.people import me, people_with_role, tenants_of

__all__ = [
    "actor_of_token",
    "actor_of_user",
    "agent_by_fingerprint",
    "certificate_good",
    "me",
    "people_with_role",
    "tenants_of",
]
