"""Certificates of changes of owner, as the job's leader wrote them."""

from django.db import models

from apps.core.models import Entity
from apps.jobs.models.jobs import Job


class Certificate(Entity):
    """Proof that a rank changed hands, and of what was lost by it."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="certificates")
    # the coordinator's id of the swap
    swap = models.CharField(max_length=200)
    # fields of `hotswap.transfer.certificate.Certificate`
    document = models.JSONField()
    # of the document in canonical JSON
    digest = models.CharField(max_length=71)

    class Meta:
        """A swap has one; a second, different one is refused."""

        constraints = (models.UniqueConstraint(fields=("job", "swap"), name="certificate_once"),)

    def __str__(self) -> str:
        return self.swap
