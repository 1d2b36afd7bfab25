"""What nodes say about themselves: the latest report, and samples of the last hours."""

from django.db import models

from apps.fleet.models.nodes import Node


class NodeReport(models.Model):
    """The latest report of a node. Written at every report: no index but its key."""

    node = models.OneToOneField(
        Node, on_delete=models.CASCADE, primary_key=True, related_name="report"
    )
    # names one run of the agent
    boot = models.CharField(max_length=200)
    sequence = models.PositiveBigIntegerField()
    # when it was sent, never later than it arrived
    at = models.DateTimeField()
    received_at = models.DateTimeField()
    # after this it says nothing about now
    stale_at = models.DateTimeField()
    # measured, or simulated if any of its signals is
    source = models.CharField(max_length=16)
    # of the inventory that came with it; empty: none has come
    inventory_digest = models.CharField(max_length=71, blank=True)
    # a list for each signal: name, value, unit, source, figure that is judged
    signals = models.JSONField(default=list)
    # of each counter that is judged, by name, what its next increase is worked out from
    counters = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.boot} {self.sequence}"


class SignalSample(models.Model):
    """Figures of one report, kept for a while for charts."""

    id = models.BigAutoField(primary_key=True)
    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="samples", db_index=False)
    at = models.DateTimeField()
    sequence = models.PositiveBigIntegerField()
    boot = models.CharField(max_length=200)
    # names of the signals that were simulated
    simulated = models.JSONField(default=list)
    # figure by name of the signal; null: not known
    values = models.JSONField(default=dict)

    class Meta:
        """A report is one sample, however often it is sent; read per node in the order of time."""

        constraints = (
            models.UniqueConstraint(fields=("node", "at", "sequence"), name="signal_sample_once"),
        )

    def __str__(self) -> str:
        return f"{self.boot} {self.sequence}"
