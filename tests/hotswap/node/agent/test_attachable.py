"""Jobs of `hotswap run` are found while they run, and say so when they want to be shown."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hotswap.errors import AgentStateUnusable
from hotswap.node.agent.attachable import discover, want
from hotswap.node.job_directory import Claim, claim
from hotswap.node.run_record import JobDescription, write_description
from hotswap.wire.plane import AttachableJob


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Claim]:
    """A job whose launcher lives: this process."""
    claimed = claim(jobs=tmp_path / "jobs", name="gpt", stem="gpt")
    description = JobDescription(
        job="gpt",
        ranks=4,
        standbys=1,
        coordinators=2,
        script="/scripts/gpt.py",
        arguments=(),
        pid=17,
        started_unix_s=1e9,
        logs="/logs",
    )
    write_description(claimed.directory, description)
    yield claimed
    claimed.release()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """State directory of an agent that has been enrolled."""
    state = tmp_path / "state"
    state.mkdir()
    (state / "identity.json").write_text("{}")
    return state


def found(tmp_path: Path, *, known: frozenset[Path] = frozenset()) -> tuple[AttachableJob, ...]:
    return discover(jobs=tmp_path / "jobs", wanted=tmp_path / "state" / "wanted", known=known)


def test_a_job_that_runs_can_be_attached(tmp_path: Path, run: Claim) -> None:
    assert found(tmp_path) == (
        AttachableJob(
            name="gpt",
            directory=str(run.directory.path),
            world_size=4,
            standbys=1,
            script="/scripts/gpt.py",
            started_unix_s=1e9,
        ),
    )


def test_one_that_has_ended_or_is_known_can_not(tmp_path: Path, run: Claim) -> None:
    assert found(tmp_path, known=frozenset({run.directory.path})) == ()
    run.directory.lock_file.unlink()
    assert found(tmp_path) == ()


def test_one_that_the_plane_has_started_is_none_of_them(tmp_path: Path) -> None:
    claimed = claim(jobs=tmp_path / "jobs", name="gpt", stem="gpt")
    assert found(tmp_path) == ()
    claimed.release()


def test_a_job_can_ask_for_it_wherever_it_lives(tmp_path: Path, state: Path, run: Claim) -> None:
    want(state, run.directory)
    (job,) = discover(jobs=tmp_path / "elsewhere", wanted=state / "wanted", known=frozenset())
    assert (job.name, job.wanted) == ("gpt", True)


def test_a_wish_ends_with_its_job(tmp_path: Path, state: Path, run: Claim) -> None:
    want(state, run.directory)
    run.directory.lock_file.unlink()
    assert found(tmp_path) == ()
    assert list((state / "wanted").iterdir()) == []


def test_a_damaged_wish_hides_no_other_job(tmp_path: Path, state: Path, run: Claim) -> None:
    want(state, run.directory)
    (state / "wanted" / "broken.json").write_text("{")
    assert [job.name for job in found(tmp_path)] == ["gpt"]


def test_a_folder_that_is_no_agents_is_refused(tmp_path: Path, run: Claim) -> None:
    with pytest.raises(AgentStateUnusable, match="no agent's state directory"):
        want(tmp_path, run.directory)
