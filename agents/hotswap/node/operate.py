"""Commands to a running job. Each prints its answer and gives the exit code."""

from pathlib import Path
from typing import TextIO

from hotswap.errors import JobUnknown
from hotswap.limits import Limits
from hotswap.node.exit_codes import ExitCode
from hotswap.node.job_directory import find
from hotswap.node.operator_client import Operator, operator_of
from hotswap.node.progress import event_line
from hotswap.node.report import status_lines, write_json, write_lines
from hotswap.node.run_record import summarise
from hotswap.wire.messages import Notice, Status


def connect(*, jobs: Path, name: str, limits: Limits) -> Operator:
    """Give an operator of a job that runs.

    Raises:
        JobUnknown: there is no such job, or it has ended.

    """
    directory = find(jobs=jobs, name=name)
    if not directory.is_running():
        summary = summarise(directory)
        ended = "has ended" if summary.state == "unknown" else f"has {summary.state}"
        raise JobUnknown(f"job {name} {ended}: only a running job takes commands")
    return operator_of(directory, limits=limits)


def swap(
    operator: Operator,
    *,
    rank: int,
    target: str | None,
    reason: str,
    wait: bool,
    output: TextIO,
    json: bool,
) -> ExitCode:
    """Have a rank moved; with ``wait``, until that is done."""
    accepted = operator.swap(rank=rank, target=target, reason=reason)

    def show(notice: Notice) -> None:
        text = notice.text if notice.kind == "swap_phase" else event_line(notice)
        if text and not json:
            write_lines(output, [f"  {text}"])
            output.flush()

    if not json:
        moves = f"rank {accepted.rank} moves to {accepted.target}"
        write_lines(output, [f"swap {accepted.swap} accepted: {moves}"])
        output.flush()
    completed = operator.follow(accepted, on_notice=show) if wait else None
    if json:
        write_json(output, {"accepted": accepted, "completed": wait, "notice": completed})
    elif wait and completed is None:
        line = f"  rank {rank} belongs to {accepted.target} now; the leader changed in between,"
        write_lines(output, [f"{line} so what it cost stands in the certificate"])
    return ExitCode.DONE


def abort(operator: Operator, *, swap: str, output: TextIO, json: bool) -> ExitCode:
    """Have a swap given up."""
    status = operator.abort(swap)
    under_way = status.swap == swap
    if json:
        write_json(output, {"swap": swap, "under_way": under_way, "status": status})
    else:
        now = f"still {status.swap_phase}" if under_way else "no longer under way"
        write_lines(output, [f"asked to give up swap {swap}: it is {now}"])
    return ExitCode.DONE


def prepare(
    operator: Operator, *, rank: int, member: str | None, output: TextIO, json: bool
) -> ExitCode:
    """Have a model built in advance."""
    status = operator.prepare(rank=rank, member=member)
    if json:
        write_json(output, {"rank": rank, "member": member, "status": status})
    else:
        write_lines(output, [f"{member or 'a standby'} prepares for rank {rank}"])
    return ExitCode.DONE


def show_status(operator: Operator, *, output: TextIO, json: bool) -> ExitCode:
    """Show a job as its leader sees it."""
    status: Status = operator.status()
    if json:
        write_json(output, status)
    else:
        write_lines(output, status_lines(status))
    return ExitCode.DONE
