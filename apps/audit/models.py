"""The chain. The database refuses to change or delete an entry: see the second migration."""

from django.db import models


class AuditEntry(models.Model):
    """One thing that was decided or changed. The body counts; columns are there to be found by."""

    id = models.BigAutoField(primary_key=True)
    # whose chain it is; domain.chain.PLATFORM for what belongs to no tenant
    tenant_id = models.UUIDField()
    # from 1, without gaps
    sequence = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    actor_kind = models.CharField(max_length=16)
    actor_id = models.CharField(max_length=64, blank=True)
    actor_name = models.CharField(max_length=200)
    # noun and verb, as in swap.approve
    action = models.CharField(max_length=64)
    # kind and id, as in swap:<id>
    subject = models.CharField(max_length=128)
    # canonical JSON of all of the above, of the details, and of the digest before
    body = models.TextField()
    # of the body: sha256:<hex>
    digest = models.CharField(max_length=71)

    class Meta:
        """One entry per place in a chain."""

        constraints = (
            models.UniqueConstraint(fields=("tenant_id", "sequence"), name="audit_entry_place"),
        )
        indexes = (
            models.Index(fields=("tenant_id", "subject", "id"), name="audit_entry_subject"),
            models.Index(fields=("tenant_id", "action", "id"), name="audit_entry_action"),
            models.Index(fields=("tenant_id", "actor_id", "id"), name="audit_entry_actor"),
        )

    def __str__(self) -> str:
        return f"{self.sequence} {self.action} {self.subject}"


class AuditHead(models.Model):
    """The end of a tenant's chain, signed with a key that is not in the database."""

    tenant_id = models.UUIDField(primary_key=True)
    sequence = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=71, blank=True)
    # HMAC-SHA256 over tenant, sequence and digest, in hex
    signature = models.CharField(max_length=64, blank=True)

    def __str__(self) -> str:
        return f"{self.tenant_id} {self.sequence}"
