"""Each command once, its first result for ever, whatever is killed in between."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from hotswap.errors import AgentStateUnusable
from hotswap.node.agent.admission import Admitted, result_of
from hotswap.node.agent.journal import Journal
from hotswap.wire.plane import Command, CommandResult, Swap

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def open_journal(folder: Path, *, commands_max: int = 100) -> Journal:
    return Journal(folder, commands_max=commands_max)


def command(name: str = "c1", *, fence: int = 1, job: str = "j1") -> Command:
    payload = msgspec.to_builtins(Swap(rank=1, swap="s1"))
    return Command(id=name, kind="swap", fence=fence, job=job, payload=payload)


def done(name: str = "c1", **values: str) -> CommandResult:
    return CommandResult(command=name, state="done", values=dict(values))


def test_a_command_is_carried_out_once_and_its_acceptance_is_told(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    assert isinstance(journal.take(command(), now=NOW), Admitted)
    assert journal.take(command(), now=NOW) is None
    assert [result.state for result in journal.untold()] == ["accepted"]


def test_the_first_result_counts_and_is_given_again(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.take(command(), now=NOW)
    journal.finish(done(swap="first"))
    journal.finish(done(swap="second"))
    journal.tell(journal.untold())
    assert journal.untold() == ()
    assert open_journal(tmp_path).take(command(), now=NOW) is None
    again = open_journal(tmp_path)
    assert again.untold() == (done(swap="first"),)


def test_a_result_is_told_until_the_plane_has_taken_that_one_in(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.take(command(), now=NOW)
    accepted = journal.untold()
    journal.finish(done())
    # the answer to the report of the acceptance comes late
    journal.tell(accepted)
    assert journal.untold() == (done(),)


def test_the_highest_fence_of_a_job_outlives_a_restart(tmp_path: Path) -> None:
    open_journal(tmp_path).take(command("c1", fence=7), now=NOW)
    journal = open_journal(tmp_path)
    assert journal.take(command("c2", fence=6), now=NOW) is None
    assert isinstance(journal.take(command("c3", fence=6, job="other"), now=NOW), Admitted)
    (_, refused, _) = journal.untold()
    assert (refused.state, refused.values["code"]) == ("refused", "fenced")


def test_a_refused_command_raises_no_fence(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    bad = msgspec.structs.replace(command("c1", fence=9), payload={})
    assert journal.take(bad, now=NOW) is None
    assert isinstance(journal.take(command("c2", fence=1), now=NOW), Admitted)


def test_what_had_no_end_before_a_restart_is_carried_out_once_more(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.take(command("c1", fence=1), now=NOW)
    journal.take(command("c2", fence=2), now=NOW)
    journal.finish(done("c2"))
    again = open_journal(tmp_path)
    (unfinished,) = again.unfinished()
    assert unfinished.id == "c1"
    # though a later decision has come since: it was begun before that
    assert isinstance(again.readmit(unfinished), Admitted)


def test_one_that_a_newer_version_no_longer_understands_is_refused(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.take(command(), now=NOW)
    strange = msgspec.structs.replace(command(), kind="dance")
    assert journal.readmit(strange) is None
    assert journal.untold()[0].state == "refused"


def test_only_what_the_plane_knows_is_ever_forgotten(tmp_path: Path) -> None:
    journal = open_journal(tmp_path, commands_max=2)
    for number in range(6):
        journal.take(command(f"c{number}"), now=NOW)
    for number in range(3):
        journal.finish(done(f"c{number}"))
    assert len(list((tmp_path / "commands").iterdir())) == 6
    journal.tell(journal.untold())
    # three have ended and were told; the others have no end yet
    assert sorted(path.stem for path in (tmp_path / "commands").iterdir()) == ["c3", "c4", "c5"]


def test_an_id_that_is_no_file_name_is_passed_over(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    assert journal.take(command("../c1"), now=NOW) is None
    assert journal.untold() == ()


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    open_journal(tmp_path).take(command(), now=NOW)
    (tmp_path / "commands" / "c1.json").write_text("{")
    with pytest.raises(AgentStateUnusable, match=r"c1\.json is not as the agent wrote it"):
        open_journal(tmp_path)


def test_results_are_made_for_their_command() -> None:
    result = result_of(command("c9"), "failed", "why", {"code": "x"})
    assert (result.command, result.state, result.values) == ("c9", "failed", {"code": "x"})
