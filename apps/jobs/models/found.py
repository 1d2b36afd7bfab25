"""Jobs that agents have found, and that the plane does not follow yet."""

from django.db import models

from apps.core.models import Entity


class FoundJob(Entity):
    """A job that `hotswap run` started on a node."""

    node = models.ForeignKey("fleet.Node", on_delete=models.CASCADE, related_name="found_jobs")
    name = models.CharField(max_length=200)
    directory = models.CharField(max_length=4096)
    # null: the run has not said it
    world_size = models.PositiveIntegerField(null=True)
    standbys = models.PositiveIntegerField(null=True)
    script = models.CharField(max_length=4096, blank=True)
    started_unix_s = models.FloatField(null=True)
    # whoever started it asked for it to be followed
    wanted = models.BooleanField(default=False)
    seen_at = models.DateTimeField()

    class Meta:
        """A node has one running job of a name."""

        constraints = (models.UniqueConstraint(fields=("node", "name"), name="found_job_once"),)

    def __str__(self) -> str:
        return self.name
