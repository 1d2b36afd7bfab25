"""Which agent a connection comes from."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q

from apps.accounts.errors import CredentialRefused
from apps.accounts.models import Agent


def certificate_good(*, fingerprints: Collection[str], now: datetime) -> Q:
    """Return which agents have one of these certificates, present or next, and are let in by it.

    Args:
        fingerprints: SHA-256 of each certificate, in hex.
        now: the time.
    """
    present = Q(fingerprint__in=fingerprints, certificate_expires_at__gt=now)
    following = Q(next_fingerprint__in=fingerprints, next_expires_at__gt=now)
    return Q(revoked_at=None) & (present | following)


def agent_by_fingerprint(*, fingerprint: str, now: datetime) -> Agent:
    """Return the agent whose certificate it is, locked by the caller's transaction.

    Args:
        fingerprint: SHA-256 of the certificate, in hex.
        now: the time.

    Raises:
        CredentialRefused: if it is unknown, expired or revoked.
    """
    good = certificate_good(fingerprints=[fingerprint], now=now)
    agent = Agent.objects.select_for_update(no_key=True).filter(good).first()
    if agent is None:
        raise CredentialRefused
    return agent
