"""Which agent a connection comes from."""

from datetime import datetime

from apps.accounts.errors import CredentialRefused
from apps.accounts.models import Agent


def agent_by_fingerprint(*, fingerprint: str, now: datetime) -> Agent:
    """Return the agent whose certificate it is.

    Args:
        fingerprint: SHA-256 of the certificate, in hex.
        now: the time.

    Raises:
        CredentialRefused: if it is unknown, expired or revoked.
    """
    agent = Agent.objects.filter(fingerprint=fingerprint, revoked_at=None).first()
    if agent is None or agent.certificate_expires_at <= now:
        raise CredentialRefused
    return agent
