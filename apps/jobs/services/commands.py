"""Commands to agents: decided here, sent when an agent asks, done when it says so."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import F, Q, QuerySet

from apps.core import bell
from apps.jobs.domain.states import COMMAND
from apps.jobs.errors import JobUnknown
from apps.jobs.models import Command, Job
from hotswap.wire.plane import CommandResult, Payload

#: A command that nobody has begun by then has expired.
BEGIN_WITHIN: Final = timedelta(seconds=60)
#: One that was begun, and of which nothing more is heard, has expired so long after its deadline.
FINISH_WITHIN: Final = timedelta(minutes=5)
#: Commands that one sweep expires.
SWEEP_MAX: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A command to be."""

    node_id: UUID
    # one of `hotswap.wire.plane.CommandKind`
    kind: str
    payload: Payload
    # what it is for: the same key again is the same command; None: it stands for itself
    key: str | None = None
    within: timedelta = field(default=BEGIN_WITHIN)


def fence_raise(*, job_id: UUID) -> int:
    """Return the number of a new decision about a job: commands of older ones are refused.

    Raises:
        JobUnknown: there is no such job.
    """
    with transaction.atomic():
        if not Job.objects.filter(id=job_id).update(fence=F("fence") + 1):
            raise JobUnknown
        return Job.objects.values_list("fence", flat=True).get(id=job_id)


def command_queue(
    *,
    tenant_id: UUID,
    job_id: UUID | None,
    node_id: UUID,
    kind: str,
    payload: Payload,
    at: datetime,
    key: str | None = None,
    within: timedelta = BEGIN_WITHIN,
) -> Command:
    """Decide about a job, or about a node, and queue the command; see `commands_queue`."""
    order = Order(node_id=node_id, kind=kind, payload=payload, key=key, within=within)
    return commands_queue(tenant_id=tenant_id, job_id=job_id, orders=[order], at=at)[0]


def commands_queue(
    *, tenant_id: UUID, job_id: UUID | None, orders: Sequence[Order], at: datetime
) -> list[Command]:
    """Queue commands that are one decision: they have one fence, above all earlier ones.

    An order whose key has been given before is the command that it was then, whatever became of it.

    Raises:
        JobUnknown: there is no such job.
    """
    with transaction.atomic():
        keys = [order.key for order in orders if order.key is not None]
        known = {each.key: each for each in Command.objects.filter(key__in=keys)} if keys else {}
        new = [order for order in orders if order.key is None or order.key not in known]
        fence = fence_raise(job_id=job_id) if job_id is not None and new else 0
        made = {
            id(order): Command(
                tenant_id=tenant_id,
                job_id=job_id,
                node_id=order.node_id,
                kind=order.kind,
                key=order.key,
                fence=fence,
                payload=msgspec.to_builtins(order.payload),
                deadline_at=at + order.within,
                created_at=at,
            )
            for order in new
        }
        Command.objects.bulk_create(made.values())
        # whoever waits for a command of this node looks now
        transaction.on_commit(bell.ring, robust=True)
    return [made[id(order)] if id(order) in made else known[order.key] for order in orders]


def commands_sent(*, ids: Iterable[UUID], at: datetime) -> None:
    """Note that commands have left with an answer; whether they arrived, results tell."""
    with transaction.atomic():
        open_ones = Command.objects.filter(id__in=_locked(Command.objects.filter(id__in=list(ids))))
        open_ones.filter(state__in=COMMAND.sources("send")).update(state="sent", sent_at=at)
        open_ones.filter(state__in=("sent", "accepted")).update(sent_at=at)


def commands_answer(
    *, results: Mapping[UUID, Sequence[CommandResult]], at: datetime
) -> frozenset[UUID]:
    """Take in what agents say about their commands, by node; return the jobs that it concerns.

    An answer that comes again, or after the command has expired, changes nothing: a final state
    stays. An answer about a command of another node is passed over.
    """
    given = {
        (node_id, result.command): result for node_id, each in results.items() for result in each
    }
    ids = [identity for _, text in given if (identity := _uuid(text)) is not None]
    if not ids:
        return frozenset()
    concerned = set()
    with transaction.atomic():
        told = Command.objects.filter(id__in=ids).order_by("id")
        for command in told.only("id", "node_id", "job_id", "state"):
            result = given.get((command.node_id, str(command.id)))
            if result is not None and _answer(command, result, at=at) and command.job_id:
                concerned.add(command.job_id)
    return frozenset(concerned)


def commands_drop(*, job_id: UUID, reason: str, at: datetime) -> int:
    """Expire what has not left yet of a job's commands, as a later decision overrides it."""
    with transaction.atomic():
        queued = _locked(Command.objects.filter(job_id=job_id, state="queued"))
        return Command.objects.filter(id__in=queued, state="queued").update(
            state="expired", detail=reason, answered_at=at
        )


def commands_expire(*, now: datetime) -> frozenset[UUID]:
    """Expire commands that nobody has begun, or ended, in time; return their jobs."""
    late = Q(state__in=("queued", "sent"), deadline_at__lt=now)
    stuck = Q(state="accepted", deadline_at__lt=now - FINISH_WITHIN)
    with transaction.atomic():
        due = Command.objects.filter(late | stuck).order_by("id")
        found = list(due.select_for_update(no_key=True).only("id", "job_id")[:SWEEP_MAX])
        if not found:
            return frozenset()
        Command.objects.filter(
            id__in=[each.id for each in found], state__in=COMMAND.sources("expire")
        ).update(state="expired", detail="no answer in time")
    return frozenset(each.job_id for each in found if each.job_id is not None)


def _locked(commands: QuerySet[Command]) -> list[UUID]:
    """Lock commands; return their ids. Whoever changes several goes by their ids, as here."""
    rows = commands.select_for_update(no_key=True).order_by("id")
    return list(rows.values_list("id", flat=True))


def _answer(command: Command, result: CommandResult, *, at: datetime) -> bool:
    """Write one answer down; False when it says nothing new."""
    action = {"accepted": "accept", "expired": "expire"}.get(result.state, result.state)
    changes: dict[str, Any] = {
        "state": COMMAND.target(action, COMMAND.sources(action)[0]),
        "detail": result.detail,
        "result": dict(result.values),
        "answered_at": at,
    }
    sources = COMMAND.sources(action)
    return bool(Command.objects.filter(id=command.id, state__in=sources).update(**changes))


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
