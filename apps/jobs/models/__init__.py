"""Rows of this app; one module per noun."""

from apps.jobs.models.certificates import Certificate
from apps.jobs.models.commands import Command
from apps.jobs.models.found import FoundJob
from apps.jobs.models.history import JobEvent, JobStream, LossPoint
from apps.jobs.models.jobs import Job
from apps.jobs.models.members import Member, MirrorState, RankOwner

__all__ = [
    "Certificate",
    "Command",
    "FoundJob",
    "Job",
    "JobEvent",
    "JobStream",
    "LossPoint",
    "Member",
    "MirrorState",
    "RankOwner",
]
