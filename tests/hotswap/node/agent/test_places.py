"""The directory of a job is made once by whichever node comes first, and never taken from a run."""

from pathlib import Path

import pytest

from hotswap.errors import CommandRefused, JobError, JobInUse, JobNameInvalid, JobUnknown
from hotswap.node.agent.places import existing, locate, prepare
from hotswap.node.job_directory import claim
from hotswap.wire.plane import JobPlace

KEY, OTHER = "5e" * 32, "6f" * 32


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"HOTSWAP_HOME": str(tmp_path)}


def test_the_first_node_makes_it_and_the_others_find_it(environment: dict[str, str]) -> None:
    first = prepare(JobPlace(name="gpt", key=KEY), environment=environment)
    assert first.read_key().hex() == KEY
    assert first.logs.is_dir()
    assert first.path.stat().st_mode & 0o777 == 0o700
    (first.path / "events.jsonl").write_text("something")
    assert prepare(JobPlace(name="gpt", key=KEY), environment=environment) == first
    assert (first.path / "events.jsonl").exists()


def test_without_a_key_the_one_that_is_there_counts(environment: dict[str, str]) -> None:
    first = prepare(JobPlace(name="gpt"), environment=environment)
    key = first.read_key()
    assert len(key) == 32
    assert prepare(JobPlace(name="gpt"), environment=environment).read_key() == key


def test_a_former_run_of_the_name_moves_aside(environment: dict[str, str], tmp_path: Path) -> None:
    prepare(JobPlace(name="gpt", key=KEY), environment=environment)
    prepare(JobPlace(name="gpt", key=OTHER), environment=environment)
    assert (tmp_path / "jobs" / "gpt~1" / "job.key").read_text() == KEY
    assert (tmp_path / "jobs" / "gpt" / "job.key").read_text() == OTHER


def test_a_run_that_lives_keeps_its_directory(environment: dict[str, str], tmp_path: Path) -> None:
    claimed = claim(jobs=tmp_path / "jobs", name="gpt", stem="gpt")
    try:
        with pytest.raises(JobInUse):
            prepare(JobPlace(name="gpt", key=KEY), environment=environment)
    finally:
        claimed.release()


def test_a_directory_of_ones_own_has_the_name_of_the_job(tmp_path: Path) -> None:
    place = JobPlace(name="gpt", directory=str(tmp_path / "shared" / "gpt"))
    assert prepare(place, environment={}).path == tmp_path / "shared" / "gpt"
    for wrong in ("shared/gpt", str(tmp_path / "other")):
        with pytest.raises(CommandRefused, match="absolute path"):
            locate(JobPlace(name="gpt", directory=wrong), environment={})


def test_a_name_that_leads_elsewhere_is_refused(environment: dict[str, str]) -> None:
    with pytest.raises(JobNameInvalid):
        prepare(JobPlace(name="../gpt"), environment=environment)


def test_a_disk_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = JobPlace(name="gpt", directory=str(tmp_path / "file" / "gpt"))
    with pytest.raises(JobError, match="cannot make the job directory"):
        prepare(place, environment={})


def test_a_job_to_attach_has_to_be_there_and_the_one_that_is_meant(
    environment: dict[str, str], tmp_path: Path
) -> None:
    with pytest.raises(JobUnknown):
        existing(JobPlace(name="gpt"), environment=environment)
    prepare(JobPlace(name="gpt", key=KEY), environment=environment)
    found = existing(JobPlace(name="gpt", key=KEY), environment=environment)
    assert found.path == tmp_path / "jobs" / "gpt"
    with pytest.raises(JobError, match="another run"):
        existing(JobPlace(name="gpt", key=OTHER), environment=environment)
