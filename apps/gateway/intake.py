"""One pass over the database for many reports: as many queries for a hundred as for one.

Everything here may be done twice: a pass that fails half-way is done again, report by report.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError, transaction

from apps.accounts.errors import CredentialRefused
from apps.accounts.models import Agent
from apps.accounts.selectors import certificate_good
from apps.accounts.services import certificate_adopt
from apps.core import outbox
from apps.core.errors import PlaneError
from apps.fleet.domain.signals import Report as NodeReport
from apps.fleet.errors import NodeUnknown
from apps.fleet.models import NodeReport as NodeReportRow
from apps.fleet.services.reports import node_reports_ingest
from apps.gateway import hooks, translate
from apps.gateway.commands import commands_for
from apps.gateway.errors import IntakeFailed, ReportRefused
from apps.jobs.services import (
    NodeFound,
    NodeMembers,
    commands_answer,
    found_ingest,
    job_ingest,
    members_ingest,
)
from hotswap.wire.plane import Command, CommandResult, Report

_log = structlog.get_logger()

#: When an agent was seen is written once in so long.
SEEN_EVERY: Final = timedelta(seconds=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A report, and whose certificate it came with."""

    # SHA-256 of the certificate, in hex
    fingerprint: str
    report: Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a report."""

    # None: the agent is not known
    node_id: UUID | None = None
    # None: it was taken in
    error: PlaneError | None = None
    # newest sequence within the boot that was taken in
    accepted_sequence: int = 0
    commands: tuple[Command, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Caller:
    """Whose report it is."""

    agent_id: UUID
    tenant_id: UUID
    # None: its node has not been registered
    node_id: UUID | None
    last_seen_at: datetime | None
    # it comes with its next certificate for the first time
    is_renewed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """A report of a known node."""

    caller: _Caller
    node_id: UUID
    report: Report
    # what it says about the node itself
    node: NodeReport | None


def intake(deliveries: Sequence[Delivery], *, at: datetime) -> list[Outcome]:
    """Take reports in, and return what becomes of each, in their order.

    A report that makes the pass fail does not hurt the others: each is then taken in by itself.
    """
    try:
        return _pass(deliveries, at=at)
    except (DatabaseError, ValueError) as error:
        if len(deliveries) == 1:
            _log.warning("intake.failed", problem=f"{type(error).__name__}: {error}")
            refused = isinstance(error, ValueError)
            return [Outcome(error=ReportRefused(str(error)) if refused else IntakeFailed())]
        return [outcome for each in deliveries for outcome in intake([each], at=at)]


def _pass(deliveries: Sequence[Delivery], *, at: datetime) -> list[Outcome]:
    callers = _callers(deliveries, at=at)
    for fingerprint, caller in callers.items():
        if caller.is_renewed:
            certificate_adopt(fingerprint=fingerprint, now=at)
    outcomes: dict[int, Outcome] = {}
    known: dict[int, _Known] = {}
    for number, each in enumerate(deliveries):
        try:
            known[number] = _recognise(callers.get(each.fingerprint), each.report)
        except PlaneError as error:
            outcomes[number] = Outcome(error=error)
    _take_in([each for each in known.values() if each.report.sequence], at=at)
    _seen([each.caller for each in known.values()], at=at)
    outcomes |= _answers(known, at=at)
    return [outcomes[number] for number in range(len(deliveries))]


def _callers(deliveries: Sequence[Delivery], *, at: datetime) -> dict[str, _Caller]:
    """Return who is behind certificates that are good; one query."""
    asked = {each.fingerprint for each in deliveries}
    rows = Agent.objects.filter(certificate_good(fingerprints=asked, now=at)).values_list(
        "fingerprint", "certificate_expires_at", "next_fingerprint", "next_expires_at",
        "id", "tenant_id", "owner__id", "last_seen_at",
    )  # fmt: skip
    found = {}
    for present, ends_at, following, next_ends_at, agent_id, tenant_id, node_id, seen_at in rows:
        for fingerprint, expires_at in ((present, ends_at), (following, next_ends_at)):
            if fingerprint in asked and expires_at is not None and expires_at > at:
                found[fingerprint] = _Caller(
                    agent_id=agent_id,
                    tenant_id=tenant_id,
                    node_id=node_id,
                    last_seen_at=seen_at,
                    is_renewed=fingerprint == following,
                )
    return found


def _recognise(caller: _Caller | None, report: Report) -> _Known:
    """Return whose report it is.

    Raises:
        CredentialRefused: the certificate is unknown, expired or revoked.
        NodeUnknown: nobody has registered the agent's node.
        ReportRefused: it says something that can't be.
    """
    if caller is None:
        raise CredentialRefused
    if caller.node_id is None:
        raise NodeUnknown("This agent's node has not been registered.")
    node = translate.node_report(node_id=caller.node_id, report=report)
    return _Known(caller=caller, node_id=caller.node_id, report=report, node=node)


def _take_in(known: Sequence[_Known], *, at: datetime) -> None:
    """Hand each part of the reports to whom it concerns."""
    nodes = [each.node for each in known if each.node is not None]
    if nodes:
        node_reports_ingest(reports=nodes, at=at)
    answered = commands_answer(results=_by_node(known), at=at)
    moved = members_ingest(
        reports=[
            NodeMembers(
                tenant_id=each.caller.tenant_id, node_id=each.node_id, members=each.report.members
            )
            for each in known
            if each.report.members is not None
        ],
        at=at,
    )
    attached = found_ingest(
        reports=[
            NodeFound(node_id=each.node_id, jobs=each.report.attachable)
            for each in known
            if each.report.attachable is not None
        ],
        at=at,
    )
    told = _jobs(known, at=at)
    notable = answered | moved | attached | {job for job, is_notable in told.items() if is_notable}
    _wake(notable, at=at)
    hooks.facts_arrived(notable=notable, stepped=told.keys() - notable, at=at)


def _by_node(known: Iterable[_Known]) -> dict[UUID, list[CommandResult]]:
    found: dict[UUID, list[CommandResult]] = {}
    for each in known:
        if each.report.results:
            found.setdefault(each.node_id, []).extend(each.report.results)
    return found


def _jobs(known: Iterable[_Known], *, at: datetime) -> dict[UUID, bool]:
    """Take in what is told about jobs; return those with news: True if it is more than steps."""
    told: dict[UUID, bool] = {}
    for each in known:
        for report in each.report.jobs:
            found = job_ingest(
                tenant_id=each.caller.tenant_id, node_id=each.node_id, report=report, at=at
            )
            if found is not None and (found.notable or found.stepped):
                told[found.job_id] = told.get(found.job_id, False) or found.notable
    return told


def _wake(job_ids: Iterable[UUID], *, at: datetime) -> None:
    """Have jobs looked at."""
    for job_id in job_ids:
        with transaction.atomic():
            outbox.put(
                topic="wake",
                tenant_id=None,
                kind="job_reconcile",
                payload={"job_id": str(job_id)},
                at=at,
            )


def _seen(callers: Iterable[_Caller], *, at: datetime) -> None:
    due = [
        each.agent_id
        for each in callers
        if each.last_seen_at is None or at - each.last_seen_at >= SEEN_EVERY
    ]
    if due:
        Agent.objects.filter(id__in=due).update(last_seen_at=at)


def _answers(known: Mapping[int, _Known], *, at: datetime) -> dict[int, Outcome]:
    """Return the answers, with the commands of each node."""
    commands = commands_for(node_ids={each.node_id for each in known.values()}, at=at)
    newest = _newest([each.node_id for each in known.values() if not each.report.sequence])
    return {
        number: Outcome(
            node_id=each.node_id,
            accepted_sequence=each.report.sequence
            or newest.get((each.node_id, each.report.boot), 0),
            commands=commands.get(each.node_id, ()),
        )
        for number, each in known.items()
    }


def _newest(node_ids: Sequence[UUID]) -> dict[tuple[UUID, str], int]:
    """Return the newest sequence that was taken in, by node and boot."""
    if not node_ids:
        return {}
    rows = NodeReportRow.objects.filter(node_id__in=node_ids)
    return {
        (node_id, boot): sequence
        for node_id, boot, sequence in rows.values_list("node_id", "boot", "sequence")
    }
