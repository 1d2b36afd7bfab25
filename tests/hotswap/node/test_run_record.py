"""How a job stands can be told from its files alone."""

from pathlib import Path

from hotswap.node.job_directory import claim, list_all
from hotswap.node.run_record import (
    JobDescription,
    JobResult,
    describe,
    summarise,
    write_description,
    write_result,
)

DESCRIPTION = JobDescription(
    job="gpt",
    ranks=4,
    standbys=1,
    coordinators=2,
    script="/scripts/gpt.py",
    arguments=("--steps", "200"),
    pid=17,
    started_unix_s=1e9,
    logs="/logs",
)
RESULT = JobResult(state="finished", reason="", committed=200, exit_code=0, ended_unix_s=1e9 + 60)


def test_a_job_is_running_as_long_as_its_launcher_holds_it(tmp_path: Path) -> None:
    claimed = claim(jobs=tmp_path, name="gpt", stem="gpt")
    write_description(claimed.directory, DESCRIPTION)
    summary = summarise(claimed.directory)
    assert (summary.state, summary.ranks, summary.committed) == ("running", 4, None)
    assert describe(claimed.directory) == DESCRIPTION
    claimed.release()


def test_a_job_that_has_ended_says_how(tmp_path: Path) -> None:
    claimed = claim(jobs=tmp_path, name="gpt", stem="gpt")
    write_description(claimed.directory, DESCRIPTION)
    write_result(claimed.directory, RESULT)
    claimed.release()
    summary = summarise(claimed.directory)
    assert (summary.state, summary.committed) == ("finished", 200)


def test_a_job_whose_launcher_was_killed_has_an_unknown_end(tmp_path: Path) -> None:
    claimed = claim(jobs=tmp_path, name="gpt", stem="gpt")
    write_description(claimed.directory, DESCRIPTION)
    claimed.release()  # as the kernel does when the process is gone
    assert summarise(claimed.directory).state == "unknown"


def test_a_damaged_or_missing_file_makes_things_unknown_and_not_wrong(tmp_path: Path) -> None:
    claim(jobs=tmp_path, name="gpt", stem="gpt").release()
    (directory,) = list_all(tmp_path)
    for content in (None, b"", b"{", b'{"job": 3}'):
        if content is not None:
            directory.description_file.write_bytes(content)
        summary = summarise(directory)
        assert (summary.job, summary.state, summary.ranks) == ("gpt", "unknown", None)
