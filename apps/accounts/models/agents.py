"""Credentials of node agents."""

from django.db import models
from django.db.models import Q

from apps.accounts.models.people import Tenant
from apps.core.models import Entity


class Agent(Entity):
    """The agent of one node, known by the certificate that our authority signed for it."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="agents")
    # name of its node
    node = models.CharField(max_length=100)
    # version of hotswap that it enrolled with
    version = models.CharField(max_length=32, blank=True)
    # of the certificate, in hex
    serial = models.CharField(max_length=40, unique=True)
    # SHA-256 of the certificate, in hex: what the connection is looked up by
    fingerprint = models.CharField(max_length=64, unique=True)
    certificate_expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField(null=True)

    class Meta:
        """A node has one agent that is not revoked."""

        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "node"), condition=Q(revoked_at=None), name="agent_of_node_once"
            ),
        )

    def __str__(self) -> str:
        return self.node


class EnrolToken(Entity):
    """Lets the agent of one node ask for its certificate, once."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="enrol_tokens")
    node = models.CharField(max_length=100)
    # SHA-256 of the token
    digest = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"enrolment of {self.node}"
