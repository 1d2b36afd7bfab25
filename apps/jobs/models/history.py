"""What happened to a job: steps with their losses, and everything else as events."""

from django.db import models

from apps.jobs.models.jobs import Job


class JobStream(models.Model):
    """How far one numbering of a job's notices was taken in."""

    id = models.BigAutoField(primary_key=True)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="streams")
    # the numbering, as its agent names it
    stream = models.CharField(max_length=200)
    # number of the next notice
    offset = models.PositiveBigIntegerField(default=0)

    class Meta:
        """One line per numbering."""

        constraints = (models.UniqueConstraint(fields=("job", "stream"), name="job_stream_once"),)

    def __str__(self) -> str:
        return f"{self.stream} at {self.offset}"


class LossPoint(models.Model):
    """What one committed step measured. A step that is done again has another epoch."""

    id = models.BigAutoField(primary_key=True)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="losses")
    epoch = models.PositiveBigIntegerField()
    step = models.PositiveBigIntegerField()
    # null: nobody reported one, or it is no number
    loss = models.FloatField(null=True)
    validation_loss = models.FloatField(null=True)
    # slowest rank
    step_s = models.FloatField(null=True)
    at = models.DateTimeField()

    class Meta:
        """A step counts once in an epoch."""

        constraints = (
            models.UniqueConstraint(fields=("job", "epoch", "step"), name="loss_point_once"),
        )

    def __str__(self) -> str:
        return f"epoch {self.epoch}, step {self.step}"


class JobEvent(models.Model):
    """Something that happened, other than a committed step."""

    id = models.BigAutoField(primary_key=True)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="events")
    # counts from 1 within the job, without gaps, in the order in which the plane learnt of them
    sequence = models.PositiveBigIntegerField()
    # where the agent read it; empty and null: the plane's own
    stream = models.CharField(max_length=200, blank=True)
    offset = models.PositiveBigIntegerField(null=True)
    at = models.DateTimeField()
    # a kind of `hotswap.wire.answers.Notice`, or one of the plane's own (job_...)
    kind = models.CharField(max_length=200)
    epoch = models.BigIntegerField(null=True)
    step = models.BigIntegerField(null=True)
    rank = models.IntegerField(null=True)
    member = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    # measured values by name, units last; null: no number
    values = models.JSONField(default=dict)

    class Meta:
        """A notice is taken in once."""

        constraints = (
            models.UniqueConstraint(fields=("job", "sequence"), name="job_event_sequence_once"),
            models.UniqueConstraint(
                fields=("job", "stream", "offset"), name="job_event_notice_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.sequence} {self.kind}"
