"""Changes of who is who; one module per noun."""

from apps.accounts.services.agents import (
    Enrolment,
    agent_enrol,
    agent_renew,
    agent_revoke,
    authority_of_plane,
    certificate_adopt,
    enrol_token_create,
)
from apps.accounts.services.people import (
    membership_remove,
    membership_set,
    tenant_create,
    user_create,
    user_deactivate,
)
from apps.accounts.services.tokens import token_create, token_revoke, token_used

__all__ = [
    "Enrolment",
    "agent_enrol",
    "agent_renew",
    "agent_revoke",
    "authority_of_plane",
    "certificate_adopt",
    "enrol_token_create",
    "membership_remove",
    "membership_set",
    "tenant_create",
    "token_create",
    "token_revoke",
    "token_used",
    "user_create",
    "user_deactivate",
]
