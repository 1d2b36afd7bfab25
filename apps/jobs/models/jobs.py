"""A training job: what was asked for, and what its leader said last."""

from django.db import models
from django.db.models import Q

from apps.accounts.models import Tenant
from apps.core.models import Entity
from apps.jobs.domain.states import JOB, PROTECTIONS

#: Longest name, characters: it is a directory on the nodes.
NAME_LENGTH_MAX = 64
ENVIRONMENT_VARIABLES_MAX = 64


class Job(Entity):
    """One run of a training script on several nodes."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="jobs")
    cluster = models.ForeignKey("fleet.Cluster", on_delete=models.PROTECT, related_name="jobs")
    name = models.CharField(max_length=NAME_LENGTH_MAX)
    # one of domain.states.JOB
    state = models.CharField(max_length=16, default="submitted")
    # started by `hotswap run`, which keeps the number of its processes itself
    attached = models.BooleanField(default=False)

    # ------------------------------------------------------------------ what was asked for
    world_size = models.PositiveIntegerField()
    standbys_wanted = models.PositiveIntegerField(default=0)
    coordinators_wanted = models.PositiveIntegerField(default=2)
    script = models.CharField(max_length=4096)
    arguments = models.JSONField(default=list)
    environment = models.JSONField(default=dict)
    # null: no micro-checkpoints
    checkpoint_every_steps = models.PositiveIntegerField(null=True)
    seed = models.BigIntegerField(null=True)
    # folder shared by the nodes, in which the job's own one is made; of an attached job, its own;
    # empty: below HOTSWAP_HOME of each agent, which is then what they share
    directory = models.CharField(max_length=4096, blank=True)
    # digest of all this, canonical: two submissions of the same thing show
    digest = models.CharField(max_length=71)
    # who submitted it: kind, id and name
    submitted_by = models.JSONField(default=dict)

    # ------------------------------------------------------------------ decisions of the plane
    # rises with each; an agent refuses what is older than what it has seen
    fence = models.PositiveBigIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    stop_requested_at = models.DateTimeField(null=True)
    stop_reason = models.CharField(max_length=500, blank=True)
    ended_at = models.DateTimeField(null=True)
    end_reason = models.TextField(blank=True)
    # what a person should know about where its members stand, in sentences
    placement_warnings = models.JSONField(default=list)

    # ------------------------------------------------------------------ what its leader said last
    # null: nothing yet
    reported_at = models.DateTimeField(null=True)
    # node whose agent said it
    reported_by = models.ForeignKey(
        "fleet.Node", on_delete=models.SET_NULL, null=True, related_name="+"
    )
    leader = models.CharField(max_length=200, blank=True)
    # the leader's fencing token
    token = models.BigIntegerField(default=0)
    # what the leader is doing, in its words
    phase = models.CharField(max_length=32, blank=True)
    epoch = models.PositiveBigIntegerField(null=True)
    # steps that were applied; null: unknown
    committed_step = models.PositiveBigIntegerField(null=True)
    # one of domain.states.PROTECTIONS, as of reported_at: domain.protection says what is shown
    protection = models.CharField(max_length=16, default="unknown")
    # of the newest committed step; null: unknown
    loss = models.FloatField(null=True)
    validation_loss = models.FloatField(null=True)
    step_time_s = models.FloatField(null=True)
    samples_per_s = models.FloatField(null=True)
    # share of the time since the first commit that its steps, undisturbed, would have taken
    goodput = models.FloatField(null=True)
    typical_step_s = models.FloatField(null=True)
    productive_s = models.FloatField(default=0.0)
    first_commit_at = models.DateTimeField(null=True)
    last_commit_at = models.DateTimeField(null=True)
    # names of waiting members
    standbys = models.JSONField(default=list)
    # one entry a rank: domain.facts.RankFacts
    ranks = models.JSONField(default=list)

    # ------------------------------------------------------------------ bookkeeping
    # number of the newest event
    events_count = models.PositiveBigIntegerField(default=0)
    # when browsers were told of progress, and of which step
    progress_sent_at = models.DateTimeField(null=True)
    progress_sent_epoch = models.PositiveBigIntegerField(default=0)
    progress_sent_step = models.BigIntegerField(default=-1)

    class Meta:
        """A tenant has one open job of a name in a cluster."""

        constraints = (
            models.CheckConstraint(condition=Q(state__in=JOB.states), name="job_state_known"),
            models.CheckConstraint(
                condition=Q(protection__in=PROTECTIONS), name="job_protection_known"
            ),
            models.CheckConstraint(condition=Q(world_size__gte=1), name="job_has_ranks"),
            models.UniqueConstraint(
                fields=("tenant", "cluster", "name"),
                condition=Q(state__in=JOB.open_states),
                name="job_open_name_once",
            ),
        )
        indexes = (
            models.Index(fields=("tenant", "-id"), name="job_of_tenant"),
            models.Index(fields=("id",), condition=Q(state__in=JOB.open_states), name="job_open"),
        )

    def __str__(self) -> str:
        return self.name
