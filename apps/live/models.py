"""How far each tenant's deltas are numbered."""

from django.db import models


class LiveSequence(models.Model):
    """The number of the last delta that was sent in a tenant; the relay alone counts on."""

    tenant_id = models.UUIDField(primary_key=True)
    value = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.tenant_id}: {self.value}"
