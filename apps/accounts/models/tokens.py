"""Tokens of programs. Only their digest is kept."""

from django.db import models

from apps.accounts.models.people import Tenant, User
from apps.core.models import Entity


class ApiToken(Entity):
    """What a program shows to be let in: a person's roles in one tenant, limited to scopes."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="tokens")
    # whose roles it has; they change as the person's do
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100)
    # the first characters of the token, by which a person knows it
    prefix = models.CharField(max_length=12)
    # SHA-256 of the token: it holds 256 bits of chance, so that there is nothing to guess
    digest = models.CharField(max_length=64, unique=True)
    # list of core.access.SCOPES
    scopes = models.JSONField(default=list)
    # never, if null
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    # to the minute; null: never
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.prefix} {self.name}"
