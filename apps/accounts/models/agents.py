"""Credentials of node agents."""

from django.db import models
from django.db.models import Q

from apps.accounts.models.people import Tenant
from apps.core.models import Entity


class Agent(Entity):
    """The agent of one node, known by the certificate that our authority signed for it.

    While it renews it has two: the next one is good as well, and takes the place of the present one
    when it is first used.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="agents")
    # name of its node
    node = models.CharField(max_length=100)
    # version of hotswap at its enrolment or last renewal
    version = models.CharField(max_length=32, blank=True)
    # of the certificate, in hex
    serial = models.CharField(max_length=40, unique=True)
    # SHA-256 of the certificate, in hex: what the connection is looked up by
    fingerprint = models.CharField(max_length=64, unique=True)
    certificate_expires_at = models.DateTimeField()
    # likewise, of the next certificate; null: there is none
    next_serial = models.CharField(max_length=40, null=True)  # noqa: DJ001 - null: no certificate
    next_fingerprint = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 - likewise
    next_expires_at = models.DateTimeField(null=True)
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
