"""What an agent and the control plane say to each other: JSON over HTTPS, as msgspec structs.

::

    GET  AUTHORITY_PATH                          -> PEM              for who has its digest
    POST ENROL_PATH                Enrolment -> Enrolled         without certificate, once
    POST RENEW_PATH                Renewal   -> Renewed          with the agent's certificate
    POST REPORT_PATH               Report    -> ReportAccepted   with the agent's certificate
    POST REPORT_PATH?wait_s=10     Report    -> ReportAccepted   waits for a command

A `Report` with ``sequence`` 0 carries nothing but the question for commands: the plane takes in
nothing from it and answers as soon as there is a command, or after ``wait_s``. Reports with content
count from 1 in each boot of the agent; what the plane has taken in once, it takes in no second
time.

The plane answers a report with every command of the agent that has no result yet ("accepted" is
one), so that one that was lost on the way comes again; the agent carries out each ``id`` once and
answers a second time with the first result. Unknown fields are ignored on both sides: a newer peer
may say more.
"""

from hotswap.wire.plane.codec import decode_plane, encode_plane
from hotswap.wire.plane.commands import (
    AbortSwap,
    Attach,
    Command,
    CommandKind,
    CommandResult,
    JobPlace,
    Payload,
    Prepare,
    Quarantine,
    ResultState,
    StartCoordinator,
    StartMember,
    StopJob,
    StopMember,
    Swap,
    payload_of,
)
from hotswap.wire.plane.enrolment import Enrolled, Enrolment, Renewal, Renewed
from hotswap.wire.plane.limits import (
    AUTHORITY_PATH,
    COMMANDS_PER_ANSWER_MAX,
    ENROL_PATH,
    NOTICES_PER_REPORT_MAX,
    RENEW_PATH,
    REPORT_NBYTES_MAX,
    REPORT_PATH,
    WAIT_S_MAX,
)
from hotswap.wire.plane.nodes import Device, Inventory, NodeReport, Signal
from hotswap.wire.plane.reports import (
    AttachableJob,
    CertificateReport,
    JobReport,
    MemberReport,
    NoticeReport,
    Report,
    ReportAccepted,
)

__all__ = [
    "AUTHORITY_PATH",
    "COMMANDS_PER_ANSWER_MAX",
    "ENROL_PATH",
    "NOTICES_PER_REPORT_MAX",
    "RENEW_PATH",
    "REPORT_NBYTES_MAX",
    "REPORT_PATH",
    "WAIT_S_MAX",
    "AbortSwap",
    "Attach",
    "AttachableJob",
    "CertificateReport",
    "Command",
    "CommandKind",
    "CommandResult",
    "Device",
    "Enrolled",
    "Enrolment",
    "Inventory",
    "JobPlace",
    "JobReport",
    "MemberReport",
    "NodeReport",
    "NoticeReport",
    "Payload",
    "Prepare",
    "Quarantine",
    "Renewal",
    "Renewed",
    "Report",
    "ReportAccepted",
    "ResultState",
    "Signal",
    "StartCoordinator",
    "StartMember",
    "StopJob",
    "StopMember",
    "Swap",
    "decode_plane",
    "encode_plane",
    "payload_of",
]
