"""Which processes are ended without a command: what had its time, and nothing else."""

from dataclasses import replace

from hotswap.limits import Limits
from hotswap.node.agent.member_record import MemberRecord, report_of
from hotswap.node.agent.winding import Winding, due, unnamed

LIMITS = replace(Limits(), finish_grace_s=30.0, fenced_exit_s=30.0, drain_s=20.0)


def member(name: str, *, lives: bool = True) -> MemberRecord:
    return MemberRecord(
        job="j1",
        member=name,
        role="coordinator" if name.startswith("coordinator") else "rank",
        tag=name,
        command="c1",
        boot_id="b",
        number=1,
        pid=17,
        start_ticks=1,
        state="running" if lives else "exited",
        exit_status=None if lives else 0,
    )


def what(
    *members: MemberRecord,
    concluded_s: float | None = None,
    unnamed_since_s: dict[str, float] | None = None,
    now: float = 100.0,
) -> Winding:
    return due(
        members,
        concluded_s=concluded_s,
        unnamed_since_s=unnamed_since_s or {},
        now=now,
        limits=LIMITS,
    )


BOTH = (member("node-0"), member("coordinator-0"))


def test_a_job_that_runs_is_left_alone() -> None:
    assert what(*BOTH) == Winding()


def test_after_the_end_of_a_job_its_processes_have_time_to_end_by_themselves() -> None:
    assert what(*BOTH, concluded_s=71.0) == Winding()


def test_then_trainers_are_stopped_and_coordinators_after_them() -> None:
    assert what(*BOTH, concluded_s=70.0) == Winding(stop=("node-0",))
    gone = (member("node-0", lives=False), member("coordinator-0"))
    assert what(*gone, concluded_s=70.0) == Winding(stop=("coordinator-0",))


def test_a_trainer_that_the_leader_names_no_more_is_killed_after_its_time() -> None:
    assert what(*BOTH, unnamed_since_s={"node-0": 51.0}) == Winding()
    assert what(*BOTH, unnamed_since_s={"node-0": 50.0}) == Winding(kill=("node-0",))


def test_one_that_was_never_named_is_still_starting() -> None:
    since = unnamed({}, named_before=frozenset(), named=frozenset({"node-1"}), now=1.0)
    assert since == {}


def test_one_that_is_named_again_is_forgiven() -> None:
    named = frozenset({"node-0", "node-1"})
    since = unnamed({}, named_before=named, named=frozenset({"node-1"}), now=1.0)
    assert since == {"node-0": 1.0}
    later = unnamed(since, named_before=named, named=frozenset({"node-1"}), now=9.0)
    assert later == {"node-0": 1.0}
    assert unnamed(later, named_before=named, named=named, now=10.0) == {}


def test_what_is_told_of_a_process_is_whether_it_runs_and_how_it_ended() -> None:
    assert report_of(member("node-0")).state == "running"
    ended = report_of(member("node-0", lives=False))
    assert (ended.state, ended.exit_status, ended.pid) == ("exited", 0, 17)
