"""The command line: what is refused, what is printed, and which exit code a program sees."""

import json
import re
from pathlib import Path

import pytest

from hotswap.cli import COMMANDS, main
from hotswap.node.arguments import EPILOG, build_parser
from hotswap.node.exit_codes import ExitCode
from hotswap.node.job_directory import JobDirectory, claim
from hotswap.node.run_record import JobDescription, JobResult, write_description, write_result
from hotswap.transfer.certificate import Certificate, write_certificate

Output = pytest.CaptureFixture[str]


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give an empty home of jobs."""
    monkeypatch.setenv("HOTSWAP_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "jobs"


@pytest.fixture
def ended(jobs: Path) -> JobDirectory:
    """Give a job of 2 ranks that has finished after 3 steps."""
    claimed = claim(jobs=jobs, name="gpt", stem="gpt")
    write_description(
        claimed.directory,
        JobDescription(
            job="gpt",
            ranks=2,
            standbys=1,
            coordinators=2,
            script="/scripts/gpt.py",
            arguments=(),
            pid=17,
            started_unix_s=1e9,
            logs="/logs",
        ),
    )
    write_result(
        claimed.directory,
        JobResult(state="finished", reason="", committed=3, exit_code=0, ended_unix_s=1e9 + 9),
    )
    claimed.release()
    return claimed.directory


def certificate(*, swap: str, steps_lost: int = 0) -> Certificate:
    return Certificate(
        swap_id=swap,
        job="gpt",
        rank=1,
        kind="unplanned",
        cause="node-1 was killed by signal 9",
        from_member="node-1",
        to_member="standby-0",
        epoch_before=1,
        epoch_after=2,
        step=2,
        digest_before=None,
        digest_after=None,
        mismatches=None,
        steps_lost=steps_lost,
        samples_consumed=None,
        samples_digest=None,
        phases={},
        leader="coordinator-0",
        token=1,
    )


def ledger(directory: JobDirectory, *, without: tuple[int, int] | None = None) -> None:
    """Write the ledger of 3 steps of 2 ranks, one sample each."""
    for rank in range(2):
        lines = [
            {"epoch": 1, "step": step, "rank": rank, "sample_ids": [2 * step + rank]}
            for step in range(3)
            if (step, rank) != without
        ]
        file = directory.ledger / f"rank-{rank:05d}.node-{rank}.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))


# ------------------------------------------------------------------------------- command line


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", "COMMAND"),
        ("fly", "invalid choice: 'fly'"),
        ("run train.py", "--ranks"),
        ("run --ranks 0 SCRIPT", "0 is too small: at least 1"),
        ("run --ranks two SCRIPT", "'two' is not a whole number"),
        ("run --ranks 2 --standbys -1 SCRIPT", "-1 is too small: at least 0"),
        ("run --ranks 2 missing.py", "there is no file missing.py"),
        ("run --ranks 2", "SCRIPT"),
        ("run --rank 2 SCRIPT", "--ranks"),
        ("swap --job gpt", "--rank"),
        ("swap --rank 1", "--job"),
        ("abort --job gpt", "--swap"),
        ("certificate", "FILE --job"),
        ("certificate a.json --job gpt", "not allowed with"),
    ],
)
def test_a_wrong_command_line_is_refused_with_what_is_wrong(
    line: str, complaint: str, tmp_path: Path, capsys: Output
) -> None:
    script = tmp_path / "train.py"
    script.touch()
    with pytest.raises(SystemExit) as caught:
        main([str(script) if word == "SCRIPT" else word for word in line.split()])
    assert caught.value.code == ExitCode.USAGE
    assert complaint in capsys.readouterr().err


def test_what_comes_after_the_script_belongs_to_the_script(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.touch()
    line = ["run", "--ranks", "2", "--json", str(script), "--ranks", "9", "--help", "x"]
    arguments = build_parser().parse_args(line)
    assert arguments.ranks == 2
    assert arguments.json
    assert arguments.arguments == ["--ranks", "9", "--help", "x"]


def test_every_command_that_can_be_written_is_carried_out() -> None:
    written = re.findall(r"^    ([a-z]+)(?: |$)", build_parser().format_help(), re.MULTILINE)
    assert sorted(written) == sorted(COMMANDS)


def test_every_exit_code_is_documented_in_the_help() -> None:
    documented = {int(code) for code in re.findall(r"^  (\d+) ", EPILOG, re.MULTILINE)}
    assert documented | {ExitCode.TERMINATED} == set(ExitCode)
    assert str(int(ExitCode.TERMINATED)) in EPILOG


def test_the_version_can_be_asked_for(capsys: Output) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("hotswap ")


# ------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "line",
    [
        "status --job nope",
        "swap --job nope --rank 0",
        "abort --job nope --swap swap-1",
        "prepare --job nope --rank 0",
        "certificate --job nope",
        "ledger --job nope",
    ],
)
def test_a_job_that_nobody_knows_is_refused_with_those_that_exist(
    line: str, ended: JobDirectory, capsys: Output
) -> None:
    del ended
    assert main(line.split()) == ExitCode.NOT_FOUND
    assert "no job 'nope'" in (error := capsys.readouterr().err)
    assert "(there: gpt)" in error


def test_a_job_that_has_ended_takes_no_commands(ended: JobDirectory, capsys: Output) -> None:
    del ended
    assert main(["status", "--job", "gpt"]) == ExitCode.NOT_FOUND
    assert capsys.readouterr().err == (
        "hotswap: job gpt has finished: only a running job takes commands\n"
    )


def test_a_program_gets_the_refusal_as_an_object(ended: JobDirectory, capsys: Output) -> None:
    del ended
    assert main(["status", "--job", "nope", "--json"]) == ExitCode.NOT_FOUND
    told = json.loads(capsys.readouterr().out)
    assert (told["kind"], told["code"]) == ("error", "job_unknown")
    assert "no job 'nope'" in told["text"]


def test_a_job_whose_coordinators_are_gone_cannot_be_asked(
    jobs: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTSWAP_FIND_LEADER_S", "0.2")
    monkeypatch.setenv("HOTSWAP_CONNECT_S", "0.1")
    claimed = claim(jobs=jobs, name="gpt", stem="gpt")
    assert main(["status", "--job", "gpt"]) == ExitCode.UNREACHABLE
    assert "no coordinator of job gpt leads (tried for 0.2 s" in capsys.readouterr().err
    claimed.release()


def test_a_name_in_use_is_refused_and_nothing_is_started(
    jobs: Path, tmp_path: Path, capsys: Output
) -> None:
    claimed = claim(jobs=jobs, name="gpt", stem="gpt")
    before = sorted(claimed.directory.path.rglob("*"))
    script = tmp_path / "train.py"
    script.touch()
    assert main(["run", "--ranks", "1", "--job", "gpt", str(script)]) == ExitCode.REFUSED
    assert "job gpt is running: choose another --job" in capsys.readouterr().err
    assert sorted(claimed.directory.path.rglob("*")) == before
    claimed.release()


@pytest.mark.parametrize(
    ("variable", "value", "complaint"),
    [
        ("HOTSWAP_LEASE_S", "soon", "HOTSWAP_LEASE_S='soon' has to be a number"),
        ("HOTSWAP_HEARTBEAT_S", "9", "heartbeat_s = 9 has to be below lease_s"),
    ],
)
def test_limits_that_cannot_work_are_refused_before_anything_is_made(
    jobs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Output,
    variable: str,
    value: str,
    complaint: str,
) -> None:
    monkeypatch.setenv(variable, value)
    script = tmp_path / "train.py"
    script.touch()
    assert main(["run", "--ranks", "1", str(script)]) == ExitCode.USAGE
    assert complaint in capsys.readouterr().err
    assert not jobs.exists()


# ------------------------------------------------------------------------- what needs no leader


def test_jobs_are_listed(ended: JobDirectory, capsys: Output) -> None:
    del ended
    assert main(["jobs"]) == ExitCode.DONE
    assert capsys.readouterr().out.splitlines()[1].split() == [
        *("gpt", "finished", "2", "1", "3"),
        "/scripts/gpt.py",
    ]
    assert main(["jobs", "--json"]) == ExitCode.DONE
    (job,) = json.loads(capsys.readouterr().out)
    assert (job["job"], job["state"], job["committed"]) == ("gpt", "finished", 3)


def test_the_certificates_of_a_job_are_shown_and_checked(
    ended: JobDirectory, capsys: Output
) -> None:
    write_certificate(ended.certificates, certificate(swap="swap-1"))
    assert main(["certificate", "--job", "gpt"]) == ExitCode.DONE
    shown = capsys.readouterr().out
    assert shown.startswith("step 2 · rank 1 · node-1 → standby-0 · unplanned · stall unknown")
    assert "  unknown  same state before and after: no digest before the swap\n" in shown
    assert "  ok       no committed step lost: 0 steps lost\n" in shown
    assert "  ok       one owner of each rank in each epoch" in shown


def test_a_certificate_that_shows_a_fault_has_an_exit_code_of_its_own(
    ended: JobDirectory, capsys: Output
) -> None:
    path = write_certificate(ended.certificates, certificate(swap="swap-1", steps_lost=7))
    assert main(["certificate", str(path)]) == ExitCode.FAULT_FOUND
    assert "  FAILED   no committed step lost: 7 steps lost\n" in capsys.readouterr().out
    assert main(["certificate", str(path), "--json"]) == ExitCode.FAULT_FOUND
    told = json.loads(capsys.readouterr().out)
    assert told["certificates"][0]["certificate"]["steps_lost"] == 7


def test_one_swap_can_be_asked_for(ended: JobDirectory, capsys: Output) -> None:
    for swap in ("swap-1", "swap-2"):
        write_certificate(ended.certificates, certificate(swap=swap))
    assert main(["certificate", "--job", "gpt", "--swap", "swap-2", "--json"]) == ExitCode.DONE
    (shown,) = json.loads(capsys.readouterr().out)["certificates"]
    assert shown["certificate"]["swap_id"] == "swap-2"
    assert main(["certificate", "--job", "gpt", "--swap", "swap-3"]) == ExitCode.NOT_FOUND
    assert "no certificate of swap swap-3" in capsys.readouterr().err


def test_a_job_without_swaps_says_so(ended: JobDirectory, capsys: Output) -> None:
    del ended
    assert main(["certificate", "--job", "gpt"]) == ExitCode.DONE
    assert "no rank has changed hands" in capsys.readouterr().out


def test_a_whole_ledger_passes(ended: JobDirectory, capsys: Output) -> None:
    ledger(ended)
    assert main(["ledger", "--job", "gpt"]) == ExitCode.DONE
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "job gpt (finished): 6 records"
    assert all(line.startswith("  ok ") for line in shown[1:])


def test_a_ledger_with_a_gap_has_an_exit_code_of_its_own(
    ended: JobDirectory, capsys: Output
) -> None:
    ledger(ended, without=(2, 1))
    assert main(["ledger", "--job", "gpt", "--json"]) == ExitCode.FAULT_FOUND
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert checks[0] == {
        "question": "every rank recorded every step",
        "verdict": "failed",
        "detail": "missing: step 2 of rank 1",
    }


def test_half_a_record_at_the_end_of_a_file_is_named_and_is_no_fault(
    ended: JobDirectory, capsys: Output
) -> None:
    ledger(ended)
    torn = ended.ledger / "rank-00001.node-1.jsonl"
    torn.write_text(torn.read_text() + '{"epoch":1,"st')
    assert main(["ledger", "--job", "gpt"]) == ExitCode.DONE
    assert f"half a record at the end of {torn}" in capsys.readouterr().out


def test_a_damaged_ledger_is_refused_by_file_and_line(ended: JobDirectory, capsys: Output) -> None:
    (ended.ledger / "rank-00000.node-0.jsonl").write_text("nonsense\n")
    assert main(["ledger", "--job", "gpt"]) == ExitCode.NOT_FOUND
    assert "rank-00000.node-0.jsonl, line 1" in capsys.readouterr().err
