"""What can be done with jobs."""

from apps.jobs.services.commands import (
    Order,
    command_queue,
    commands_answer,
    commands_expire,
    commands_queue,
    commands_sent,
)
from apps.jobs.services.found import NodeFound, found_ingest
from apps.jobs.services.ingest import Ingested, job_ingest
from apps.jobs.services.members import NodeMembers, members_ingest
from apps.jobs.services.placing import job_place
from apps.jobs.services.reconcile import Reconciled, job_reconcile
from apps.jobs.services.stop import job_stop
from apps.jobs.services.submit import job_attach, job_submit

__all__ = [
    "Ingested",
    "NodeFound",
    "NodeMembers",
    "Order",
    "Reconciled",
    "command_queue",
    "commands_answer",
    "commands_expire",
    "commands_queue",
    "commands_sent",
    "found_ingest",
    "job_attach",
    "job_ingest",
    "job_place",
    "job_reconcile",
    "job_stop",
    "job_submit",
    "members_ingest",
]
