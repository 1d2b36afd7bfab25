"""A swap, and what has happened to it."""

from django.db import models
from django.db.models import F, Q

from apps.accounts.models import Tenant
from apps.core.models import Entity
from apps.swaps.domain.limits import PAUSE_BUDGET_MS, REASON_LENGTH_MAX, WATCH_STEPS
from apps.swaps.domain.states import ACTING, OPEN, TABLE, State

#: States by name, for constraints and queries.
OPEN_STATES = tuple(state.value for state in OPEN)
ACTING_STATES = tuple(sorted(state.value for state in ACTING))
KINDS = ("planned", "unplanned")


class Swap(Entity):
    """A rank changes hands: wanted, planned, approved, carried out, watched, certified."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="swaps")
    job = models.ForeignKey("jobs.Job", on_delete=models.PROTECT, related_name="swaps")
    rank = models.PositiveIntegerField()
    # planned, or unplanned: an owner was lost
    kind = models.CharField(max_length=16)
    # one of domain.states.TABLE, since when, and until when it may last
    state = models.CharField(max_length=24)
    state_at = models.DateTimeField()
    # null: it waits for nothing
    deadline_at = models.DateTimeField(null=True)

    # ------------------------------------------------------------------ what is wanted, and why
    # null: the node is not known
    source_node = models.ForeignKey(
        "fleet.Node", on_delete=models.PROTECT, null=True, related_name="swaps_from"
    )
    source_member = models.CharField(max_length=200, blank=True)
    # the target that the proposer named; null: the best one
    wanted_node = models.ForeignKey(
        "fleet.Node", on_delete=models.PROTECT, null=True, related_name="+"
    )
    # null and empty: not chosen yet
    target_node = models.ForeignKey(
        "fleet.Node", on_delete=models.PROTECT, null=True, related_name="swaps_to"
    )
    target_member = models.CharField(max_length=200, blank=True)
    # kind, id and name
    proposer = models.JSONField(default=dict)
    reason = models.CharField(max_length=REASON_LENGTH_MAX, blank=True)
    # what the proposal rests on: grade of the source, and the signals that make it
    evidence = models.JSONField(default=dict)
    evidence_digest = models.CharField(max_length=71, blank=True)

    # ------------------------------------------------------------------ what is going to be done
    # document of domain.plan; null: there is none yet
    plan = models.JSONField(null=True)
    plan_digest = models.CharField(max_length=71, blank=True)
    # plans that were made for it
    plans_count = models.PositiveIntegerField(default=0)
    approval = models.ForeignKey(
        "approvals.Request", on_delete=models.SET_NULL, null=True, related_name="+"
    )
    pause_budget_ms = models.PositiveIntegerField(default=PAUSE_BUDGET_MS)
    watch_steps = models.PositiveIntegerField(default=WATCH_STEPS)
    # registered with the plan; null: too little was known
    band = models.JSONField(null=True)

    # ------------------------------------------------------------------ what was done
    # the coordinator's id of it; empty: not known yet
    runtime_swap_id = models.CharField(max_length=200, blank=True)
    # phase that the coordinator told last
    runtime_phase = models.CharField(max_length=32, blank=True)
    # number of the job's newest event when it began: what came before is about something else
    events_from = models.PositiveBigIntegerField(default=0)
    command = models.ForeignKey(
        "jobs.Command", on_delete=models.SET_NULL, null=True, related_name="+"
    )
    abort_command = models.ForeignKey(
        "jobs.Command", on_delete=models.SET_NULL, null=True, related_name="+"
    )
    abort_asked_at = models.DateTimeField(null=True)
    abort_reason = models.CharField(max_length=REASON_LENGTH_MAX, blank=True)
    # who asked: kind, id and name; null: nobody
    abort_actor = models.JSONField(null=True)
    abort_looks = models.PositiveIntegerField(default=0)
    # first step of the new owner; null: not in force
    watch_from_step = models.PositiveBigIntegerField(null=True)

    # ------------------------------------------------------------------ what it cost; null: unknown
    pause_ms = models.FloatField(null=True)
    stall_ms = models.FloatField(null=True)
    steps_lost = models.PositiveBigIntegerField(null=True)
    certificate = models.ForeignKey(
        "jobs.Certificate", on_delete=models.PROTECT, null=True, related_name="+"
    )
    # {code, text}; null: it has not failed
    failure = models.JSONField(null=True)
    ended_at = models.DateTimeField(null=True)

    # ------------------------------------------------------------------ bookkeeping of the driver
    # when the driver looks next
    look_at = models.DateTimeField()
    # what it waits for, for people
    waiting_for = models.CharField(max_length=500, blank=True)
    # rises with each fact that arrives, so that none is slept over
    pokes = models.PositiveBigIntegerField(default=0)
    # number of its newest event
    events_count = models.PositiveIntegerField(default=0)

    class Meta:
        """What holds whatever a program does."""

        constraints = (
            models.CheckConstraint(condition=Q(state__in=TABLE.states), name="swap_state_known"),
            models.CheckConstraint(condition=Q(kind__in=KINDS), name="swap_kind_known"),
            models.UniqueConstraint(
                fields=("job", "rank"), condition=Q(state__in=OPEN_STATES), name="swap_open_once"
            ),
            models.CheckConstraint(
                condition=~Q(state=State.COMPLETED.value) | Q(certificate__isnull=False),
                name="swap_completed_is_certified",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=("awaiting_approval", "approved"))
                | (Q(plan__isnull=False) & ~Q(plan_digest="")),
                name="swap_approved_has_a_plan",
            ),
            models.CheckConstraint(
                condition=Q(source_node=None)
                | Q(target_node=None)
                | ~Q(source_node=F("target_node"))
                | Q(kind="unplanned"),
                name="swap_planned_to_another_node",
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True) | ~Q(state__in=OPEN_STATES),
                name="swap_ended_is_over",
            ),
        )
        indexes = (
            models.Index(fields=("tenant", "-id"), name="swap_of_tenant"),
            models.Index(fields=("job", "-id"), name="swap_of_job"),
            models.Index(fields=("look_at",), condition=Q(state__in=OPEN_STATES), name="swap_due"),
        )

    def __str__(self) -> str:
        return f"rank {self.rank}: {self.state}"

    @property
    def reservation(self) -> str:
        """What its spare is reserved for."""
        return f"swap:{self.id}"


class SwapEvent(models.Model):
    """Something happened to a swap. Rows are only ever added: the timeline is this table."""

    id = models.BigAutoField(primary_key=True)
    swap = models.ForeignKey(Swap, on_delete=models.PROTECT, related_name="events")
    # counts from 1 within the swap, without gaps
    sequence = models.PositiveIntegerField()
    at = models.DateTimeField()
    # before and after; the same where the state did not change; empty before the first
    from_state = models.CharField(max_length=24, blank=True)
    to_state = models.CharField(max_length=24)
    # an action of the table, or what else was noted
    action = models.CharField(max_length=40)
    # kind, id and name
    actor = models.JSONField()
    # deadline of the new state; null: none, or the state did not change
    deadline_at = models.DateTimeField(null=True)
    detail = models.JSONField(default=dict)

    class Meta:
        """An event is one line."""

        constraints = (
            models.UniqueConstraint(fields=("swap", "sequence"), name="swap_event_once"),
        )

    def __str__(self) -> str:
        return f"{self.sequence} {self.action}"
