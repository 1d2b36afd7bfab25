"""Commands that only read a job's files. Each prints its answer and gives the exit code."""

from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from hotswap.errors import EvidenceUnreadable
from hotswap.node.evidence import Check, check_certificate, check_sequence, read_certificate
from hotswap.node.exit_codes import ExitCode
from hotswap.node.job_directory import JobDirectory, find, list_all
from hotswap.node.ledger_checks import Record, check_ledger
from hotswap.node.report import check_lines, job_lines, write_json, write_lines
from hotswap.node.run_record import summarise
from hotswap.transfer.certificate import Certificate, render_line


def list_jobs(*, jobs: Path, output: TextIO, json: bool) -> ExitCode:
    """Show every job of this user on this machine."""
    summaries = [summarise(directory) for directory in list_all(jobs)]
    if json:
        write_json(output, summaries)
    else:
        write_lines(output, job_lines(summaries))
    return ExitCode.DONE


def show_certificate_file(*, path: Path, output: TextIO, json: bool) -> ExitCode:
    """Show one certificate and check it again."""
    return _show([path], output=output, json=json)


def show_certificates(
    *, jobs: Path, name: str, swap: str | None, output: TextIO, json: bool
) -> ExitCode:
    """Show the certificates of a job, or that of one swap, and check them again.

    Raises:
        JobUnknown: there is no such job.
        EvidenceUnreadable: there is no such certificate, or one cannot be read.

    """
    directory = find(jobs=jobs, name=name).certificates
    paths = sorted(directory.glob("swap-*.json"))
    if swap is not None:
        paths = [path for path in paths if path.name == f"swap-{swap}.json"]
        if not paths:
            raise EvidenceUnreadable(
                f"job {name} has no certificate of swap {swap} in {directory}; without --swap, "
                "all of them are shown"
            )
    if not paths and not json:
        write_lines(output, [f"job {name} has no certificates: no rank has changed hands"])
        return ExitCode.DONE
    return _show(paths, output=output, json=json, whole_job=swap is None)


def show_ledger(
    directory: JobDirectory,
    *,
    records: Sequence[Record],
    torn: Sequence[Path],
    output: TextIO,
    json: bool,
) -> ExitCode:
    """Show whether any sample was consumed twice or left out.

    ``torn`` names files that end in half a record: what their process was writing when it died.
    """
    summary = summarise(directory)
    # a run that goes on, or was stopped, may be between two ranks' records of one step
    finished = summary.state == "finished"
    checks = check_ledger(
        records, ranks=summary.ranks, committed=summary.committed if finished else None
    )
    if json:
        write_json(
            output,
            {
                "job": directory.name,
                "state": summary.state,
                "records": len(records),
                "torn": [str(path) for path in torn],
                "checks": checks,
            },
        )
    else:
        write_lines(output, [f"job {directory.name} ({summary.state}): {len(records)} records"])
        write_lines(output, check_lines(checks))
        write_lines(output, [f"  half a record at the end of {path}" for path in torn])
    failed = any(check.verdict == "failed" for check in checks)
    return ExitCode.FAULT_FOUND if failed else ExitCode.DONE


def _show(
    paths: Sequence[Path], *, output: TextIO, json: bool, whole_job: bool = False
) -> ExitCode:
    """Print certificates with their checks."""
    read = [read_certificate(path) for path in paths]
    checked = [
        (certificate, check_certificate(certificate, bytes_)) for certificate, bytes_ in read
    ]
    checked.sort(key=lambda each: (each[0].epoch_after, each[0].swap_id))
    together = check_sequence([certificate for certificate, _ in checked]) if whole_job else ()
    if json:
        write_json(output, _as_json(checked, together))
    else:
        for certificate, checks in checked:
            write_lines(output, [render_line(certificate), *check_lines(checks)])
        if together:
            write_lines(output, ["all certificates of the job", *check_lines(together)])
    everything = [*together, *(check for _, checks in checked for check in checks)]
    failed = any(check.verdict == "failed" for check in everything)
    return ExitCode.FAULT_FOUND if failed else ExitCode.DONE


def _as_json(
    checked: Sequence[tuple[Certificate, tuple[Check, ...]]], together: Sequence[Check]
) -> dict[str, object]:
    """Give certificates and checks as one object."""
    return {
        "certificates": [
            {"certificate": certificate, "checks": checks} for certificate, checks in checked
        ],
        "checks": together,
    }
