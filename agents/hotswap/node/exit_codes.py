"""Exit codes of the `hotswap` command; programs rely on them."""

from enum import IntEnum

from hotswap.errors import (
    CoordinatorUnreachable,
    EnrolmentRefused,
    EnvironmentInvalid,
    EvidenceUnreadable,
    HotswapError,
    JobInUse,
    JobNameInvalid,
    JobUnknown,
    LedgerUnreadable,
    LimitsOutOfOrder,
    PlaneUnreachable,
    RequestRefused,
    ScenarioMalformed,
    SwapNotCompleted,
)


class ExitCode(IntEnum):
    """What became of a command."""

    # done as asked; of a run: every rank has finished
    DONE = 0
    # the run failed, or something that has no code of its own
    FAILED = 1
    # the command line is wrong
    USAGE = 2
    # no such job, or no readable file
    NOT_FOUND = 3
    # no coordinator of the job answers, or no control plane
    UNREACHABLE = 4
    # the name is in use, or the coordinator or the control plane refused the request
    REFUSED = 5
    # the swap was given up or did not end in time; the job goes on as before
    NOT_COMPLETED = 6
    # a certificate or ledger was read, and shows a fault
    FAULT_FOUND = 7
    # ended by Ctrl-C
    INTERRUPTED = 130
    # ended by SIGTERM
    TERMINATED = 143


_BY_ERROR: tuple[tuple[type[HotswapError], ExitCode], ...] = (
    (EnvironmentInvalid, ExitCode.USAGE),
    (LimitsOutOfOrder, ExitCode.USAGE),
    (JobNameInvalid, ExitCode.USAGE),
    (ScenarioMalformed, ExitCode.USAGE),
    (JobUnknown, ExitCode.NOT_FOUND),
    (EvidenceUnreadable, ExitCode.NOT_FOUND),
    (LedgerUnreadable, ExitCode.NOT_FOUND),
    (CoordinatorUnreachable, ExitCode.UNREACHABLE),
    (PlaneUnreachable, ExitCode.UNREACHABLE),
    (JobInUse, ExitCode.REFUSED),
    (EnrolmentRefused, ExitCode.REFUSED),
    (RequestRefused, ExitCode.REFUSED),
    (SwapNotCompleted, ExitCode.NOT_COMPLETED),
)


def exit_code(error: HotswapError) -> ExitCode:
    """Give the exit code of a command that ended with this error."""
    return next((code for kind, code in _BY_ERROR if isinstance(error, kind)), ExitCode.FAILED)
