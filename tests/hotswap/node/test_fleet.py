"""Which processes a job needs and when it is over, decided from facts and the time alone."""

import pytest

from hotswap.limits import Limits
from hotswap.node.fleet import Fleet
from hotswap.node.fleet_values import End, Kill, Kind, Plan, Start, StopRespawning

LIMITS = Limits(
    join_s=60.0,
    respawn_delay_s=1.0,
    stop_loss_s=10.0,
    stop_loss_exits=3,
    respawn_max=5,
    fenced_exit_s=30.0,
    answer_s=5.0,
)


def new(*, ranks: int = 2, standbys: int = 1, respawn: bool = True) -> Fleet:
    """Give a fleet whose initial processes were started at time 0."""
    plan = Plan(ranks=ranks, standbys=standbys, coordinators=2, respawn=respawn)
    fleet = Fleet(plan=plan, limits=LIMITS, now=0.0)
    carry_out(fleet, fleet.initial(), now=0.0)
    return fleet


def running(*, ranks: int = 2, standbys: int = 1, respawn: bool = True) -> Fleet:
    """Give a fleet in its first epoch."""
    fleet = new(ranks=ranks, standbys=standbys, respawn=respawn)
    for record in fleet.trainers():
        fleet.joined(record.name)
    fleet.began()
    return fleet


def carry_out(fleet: Fleet, actions: tuple[object, ...], *, now: float) -> list[str]:
    """Start what is to be started; give the names."""
    starts = [action for action in actions if isinstance(action, Start)]
    for start in starts:
        fleet.started(start, now=now)
    return [start.name for start in starts]


def end(fleet: Fleet, *, now: float) -> End:
    """Give the one thing that is due: the end."""
    (action,) = fleet.due(now=now)
    assert isinstance(action, End)
    return action


def test_coordinators_are_started_before_ranks_and_ranks_before_standbys() -> None:
    fleet = Fleet(plan=Plan(ranks=2, standbys=1, coordinators=1), limits=LIMITS, now=0.0)
    starts = fleet.initial()
    assert [(each.name, each.slot, each.wanted_rank) for each in starts] == [
        ("coordinator-0", 0, None),
        ("node-0", 0, 0),
        ("node-1", 1, 1),
        ("standby-0", 2, None),
    ]


def test_nothing_is_due_while_everybody_lives() -> None:
    fleet = running()
    assert fleet.due(now=0.0) == fleet.due(now=1e6) == ()


def test_a_lost_rank_leaves_a_place_for_a_standby_of_a_new_name_once_things_have_settled() -> None:
    fleet = running()
    fleet.exited("node-1", status=-9, now=100.0)
    assert fleet.due(now=100.9) == ()
    assert fleet.due(now=101.0) == (Start(name="standby-1", kind=Kind.STANDBY, slot=1),)
    assert fleet.due(now=101.0) == fleet.due(now=101.0), "asking changes nothing"
    assert carry_out(fleet, fleet.due(now=101.0), now=101.0) == ["standby-1"]
    assert fleet.due(now=101.0) == ()


def test_a_retired_owner_that_leaves_is_replaced_though_it_ended_well() -> None:
    fleet = running()
    fleet.owned(1, "standby-0")
    fleet.exited("node-1", status=0, now=100.0)
    assert carry_out(fleet, fleet.due(now=101.0), now=101.0) == ["standby-1"]


def test_names_are_never_used_twice() -> None:
    fleet = running()
    names: list[str] = []
    for number in range(4):
        fleet.exited(names[-1] if names else "standby-0", status=-9, now=100.0 * (number + 1))
        names += carry_out(fleet, fleet.due(now=100.0 * (number + 1) + 1), now=100.0 * (number + 1))
    assert names == ["standby-1", "standby-2", "standby-3", "standby-4"]


def test_a_coordinator_is_replaced_under_a_new_name() -> None:
    fleet = running()
    fleet.exited("coordinator-0", status=-9, now=100.0)
    assert fleet.due(now=101.0) == (Start(name="coordinator-2", kind=Kind.COORDINATOR, slot=0),)


def test_without_respawning_a_place_stays_empty() -> None:
    fleet = running(respawn=False)
    fleet.exited("node-1", status=-9, now=100.0)
    fleet.exited("coordinator-0", status=-9, now=100.0)
    assert fleet.due(now=1000.0) == ()


def test_a_rank_that_ended_well_is_not_replaced_as_the_job_is_about_to_end() -> None:
    fleet = running()
    fleet.exited("node-1", status=0, now=100.0)
    assert fleet.due(now=103.0) == ()


def test_failing_at_every_start_ends_respawning_and_says_so_once() -> None:
    fleet = running()
    name, now = "standby-0", 100.0
    for _ in range(LIMITS.stop_loss_exits):
        fleet.exited(name, status=1, now=now)
        now += 1.0
        names = carry_out(fleet, fleet.due(now=now), now=now)
        name = names[0] if names else name
        now += 1.0
    fleet.exited(name, status=1, now=now)
    stop, *others = fleet.due(now=now + 1)
    assert isinstance(stop, StopRespawning)
    assert "3 trainer processes in a row failed within 10 s of their start" in stop.reason
    assert others == []
    assert fleet.due(now=now + 100) == ()


def test_a_process_that_lived_ends_the_count_of_short_lives() -> None:
    fleet = running()
    name, now = "standby-0", 100.0
    for number in range(4):
        now += 50.0 if number == 2 else 1.0
        fleet.exited(name, status=1, now=now)
        now += 1.0
        (name,) = carry_out(fleet, fleet.due(now=now), now=now)


def test_coordinators_that_fail_do_not_use_up_the_trainers_places() -> None:
    fleet = running()
    for name in ("coordinator-0", "coordinator-1"):
        fleet.exited(name, status=1, now=1.0)
    carry_out(fleet, fleet.due(now=2.0), now=2.0)
    for name in ("coordinator-2", "coordinator-3"):
        fleet.exited(name, status=1, now=3.0)
    stop, *others = fleet.due(now=4.0)
    assert isinstance(stop, StopRespawning)
    assert "coordinator" in stop.reason
    assert others == []
    fleet.exited("standby-0", status=-9, now=100.0)
    assert carry_out(fleet, fleet.due(now=101.0), now=101.0) == ["standby-1"]


def test_replacements_are_bounded_over_the_whole_run() -> None:
    fleet = running()
    name, now = "standby-0", 0.0
    for _ in range(LIMITS.respawn_max):
        now += 100.0
        fleet.exited(name, status=-9, now=now)
        (name,) = carry_out(fleet, fleet.due(now=now + 1), now=now)
    (stop,) = fleet.due(now=now + 2)
    assert isinstance(stop, StopRespawning)
    fleet.exited(name, status=-9, now=now + 100)
    assert fleet.due(now=now + 200) == ()


def test_a_job_whose_coordinators_cannot_run_ends_before_it_began() -> None:
    fleet = new(respawn=False)
    fleet.exited("coordinator-0", status=1, now=1.0)
    assert fleet.due(now=1.0) == ()
    fleet.exited("coordinator-1", status=1, now=2.0)
    verdict = end(fleet, now=2.0)
    assert verdict.culprit == "coordinator-1"
    assert "no coordinator runs: coordinator-1 failed with exit status 1" in verdict.reason


def test_a_job_that_has_begun_goes_on_without_any_coordinator() -> None:
    fleet = running(respawn=False)
    for name in ("coordinator-0", "coordinator-1"):
        fleet.exited(name, status=-9, now=1.0)
    assert fleet.due(now=1000.0) == ()


def test_a_member_declared_lost_is_replaced_at_once_and_killed_when_it_lingers() -> None:
    fleet = running()
    fleet.lost("node-1", now=100.0)
    assert carry_out(fleet, fleet.due(now=101.0), now=101.0) == ["standby-1"]
    assert fleet.due(now=129.0) == ()
    (kill,) = fleet.due(now=130.0)
    assert isinstance(kill, Kill)
    assert kill.name == "node-1"
    fleet.killed("node-1")
    assert fleet.due(now=130.05) == (), "once is enough"
    fleet.exited("node-1", status=-9, now=130.1)
    assert fleet.due(now=140.0) == (), "its place was filled already"


def test_a_script_that_ends_without_joining_is_told_what_to_call() -> None:
    fleet = new()
    fleet.exited("node-1", status=0, now=3.0)
    verdict = end(fleet, now=3.0)
    assert not verdict.ok
    assert verdict.culprit == "node-1"
    assert "node-1 ended without having called hotswap.join()" in verdict.reason


def test_a_script_that_fails_before_joining_ends_the_job() -> None:
    fleet = new()
    fleet.exited("node-0", status=1, now=3.0)
    verdict = end(fleet, now=3.0)
    assert verdict.culprit == "node-0"
    assert "failed with exit status 1 before it called hotswap.join()" in verdict.reason


def test_ranks_that_do_not_join_in_time_are_named() -> None:
    fleet = new(ranks=4)
    fleet.joined("node-2")
    assert fleet.due(now=59.9) == ()
    verdict = end(fleet, now=60.0)
    assert "node-0, node-1 and node-3 did not call hotswap.join() within 60 s" in verdict.reason
    assert verdict.culprit == "node-0"


def test_a_rank_that_is_killed_before_the_start_is_left_to_a_standby() -> None:
    fleet = new()
    fleet.exited("node-1", status=-9, now=3.0)
    assert carry_out(fleet, fleet.due(now=4.0), now=4.0) == ["standby-1"]
    fleet.joined("node-0")
    assert fleet.due(now=59.0) == ()
    verdict = end(fleet, now=60.0)
    assert "node-1 was killed by signal 9" in verdict.reason
    assert "no standby has taken its rank within 60 s" in verdict.reason


def test_a_standby_that_is_slow_to_join_does_not_hold_up_the_job() -> None:
    fleet = new()
    fleet.joined("node-0")
    fleet.joined("node-1")
    assert fleet.due(now=1000.0) == ()


@pytest.mark.parametrize("ok", [True, False])
def test_the_leaders_verdict_ends_the_job(*, ok: bool) -> None:
    fleet = running()
    fleet.concluded(ok=ok, reason="as the leader says")
    fleet.concluded(ok=not ok, reason="said too late")
    assert end(fleet, now=1.0) == End(ok=ok, reason="as the leader says")


def test_the_culprit_is_who_failed_by_itself_before_those_who_were_killed() -> None:
    fleet = running(ranks=3)
    fleet.exited("node-0", status=-9, now=100.0)
    fleet.exited("node-2", status=1, now=101.0)
    fleet.exited("node-1", status=1, now=102.0)
    fleet.concluded(ok=False, reason="state is lost")
    assert end(fleet, now=103.0).culprit == "node-2"


def test_a_job_ends_well_without_a_leader_when_every_owner_did() -> None:
    fleet = running()
    fleet.owned(1, "standby-0")
    fleet.exited("node-1", status=-9, now=50.0)
    fleet.exited("node-0", status=0, now=100.0)
    fleet.exited("standby-0", status=0, now=101.0)
    assert fleet.due(now=105.9) == (), "the leader may know more"
    assert end(fleet, now=106.0) == End(ok=True, reason="every rank has finished")


def test_a_job_without_owners_waits_for_a_leader_and_a_standby() -> None:
    fleet = running()
    fleet.exited("node-0", status=-9, now=100.0)
    fleet.exited("node-1", status=-9, now=100.0)
    assert carry_out(fleet, fleet.due(now=110.0), now=110.0) == ["standby-1", "standby-2"]
    assert fleet.due(now=200.0) == ()


def test_a_job_without_owners_fails_when_nobody_can_go_on() -> None:
    fleet = running(respawn=False)
    for name in ("node-0", "node-1", "standby-0"):
        fleet.exited(name, status=1, now=100.0)
    verdict = end(fleet, now=105.0)
    assert not verdict.ok
    assert "no standby could go on" in verdict.reason


def test_an_unknown_process_is_none_of_ours() -> None:
    fleet = running()
    fleet.exited("node-77", status=1, now=1.0)
    fleet.lost("node-77", now=1.0)
    fleet.joined("node-77")
    assert fleet.due(now=100.0) == ()
