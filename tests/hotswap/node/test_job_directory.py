"""A job has one directory, one name, one launcher and one key that nobody else reads."""

import os
import stat
from pathlib import Path

import pytest

from hotswap.errors import JobError, JobInUse, JobNameInvalid, JobUnknown
from hotswap.node.job_directory import claim, find, jobs_directory, list_all


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_directory_and_the_key_are_readable_by_the_user_alone(tmp_path: Path) -> None:
    former = os.umask(0)  # the most permissive one a user can have
    try:
        claimed = claim(jobs=tmp_path / "jobs", name="gpt", stem="gpt")
    finally:
        os.umask(former)
    directory = claimed.directory
    assert mode(directory.path) == 0o700
    assert mode(directory.key_file) == 0o600
    assert mode(directory.path.parent) == 0o700
    assert len(directory.read_key()) == 32
    claimed.release()


def test_each_run_has_a_key_of_its_own(tmp_path: Path) -> None:
    first, second = (claim(jobs=tmp_path, name=None, stem="gpt") for _ in range(2))
    assert first.directory.read_key() != second.directory.read_key()
    first.release()
    second.release()


def test_a_name_of_a_living_run_is_refused_and_the_message_says_what_to_do(tmp_path: Path) -> None:
    claimed = claim(jobs=tmp_path, name="gpt", stem="gpt")
    key = claimed.directory.read_key()
    with pytest.raises(JobInUse, match="gpt is running: choose another --job"):
        claim(jobs=tmp_path, name="gpt", stem="gpt")
    assert claimed.directory.read_key() == key
    assert claimed.directory.is_running()
    claimed.release()


def test_the_name_of_an_ended_run_is_free_and_the_run_itself_is_kept(tmp_path: Path) -> None:
    for number in range(3):
        claimed = claim(jobs=tmp_path, name="gpt", stem="gpt")
        (claimed.directory.checkpoints / "step").write_text(str(number))
        claimed.release()
    assert [each.name for each in list_all(tmp_path)] == ["gpt", "gpt~1", "gpt~2"]
    for name, content in (("gpt~1", "0"), ("gpt~2", "1"), ("gpt", "2")):
        directory = find(jobs=tmp_path, name=name)
        assert (directory.checkpoints / "step").read_text() == content
        assert not directory.is_running()


def test_without_a_name_the_script_gives_one(tmp_path: Path) -> None:
    stems = ("gpt", "my script!", "...", "x" * 100)
    claims = [claim(jobs=tmp_path, name=None, stem=stem) for stem in stems]
    assert [each.directory.name for each in claims] == ["gpt", "my-script", "job", "x" * 56]
    for each in claims:
        each.release()


def test_a_script_that_runs_already_gets_a_number_and_one_that_has_ended_does_not(
    tmp_path: Path,
) -> None:
    first, second = (claim(jobs=tmp_path, name=None, stem="gpt") for _ in range(2))
    assert (first.directory.name, second.directory.name) == ("gpt", "gpt-2")
    first.release()
    third = claim(jobs=tmp_path, name=None, stem="gpt")
    assert third.directory.name == "gpt"
    assert find(jobs=tmp_path, name="gpt~1").path.is_dir()
    second.release()
    third.release()


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "../etc", "-x", "a b", "x~1", "é", "a" * 65]
)
def test_a_name_that_is_no_plain_file_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(JobNameInvalid, match="cannot be the name of a job"):
        claim(jobs=tmp_path / "jobs", name=name, stem="gpt")
    assert not (tmp_path / "jobs").exists()


@pytest.mark.parametrize("name", ["missing", "..", ".lock", "gpt/../gpt", "gpt~0"])
def test_an_unknown_job_is_refused_with_the_names_that_exist(tmp_path: Path, name: str) -> None:
    claim(jobs=tmp_path, name="gpt", stem="gpt").release()
    with pytest.raises(JobUnknown, match=r"there: gpt\)"):
        find(jobs=tmp_path, name=name)


def test_an_unwritable_home_says_which_variable_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    with pytest.raises(JobError, match="HOTSWAP_HOME"):
        claim(jobs=tmp_path / "file" / "jobs", name="gpt", stem="gpt")


def test_home_is_a_variable_or_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert jobs_directory({"HOTSWAP_HOME": str(tmp_path)}) == tmp_path / "jobs"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert jobs_directory({}) == tmp_path / ".hotswap" / "jobs"
