"""Which processes a job should have."""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from apps.jobs.domain.facts import JobFacts, RankFacts
from apps.jobs.domain.placement import Role
from apps.jobs.domain.supervision import (
    LINGER_MAX,
    REPLACE_AFTER,
    REPLACEMENTS_MAX,
    SHORT_LIVES_MAX,
    START_WITHIN,
    TAKEOVER_WITHIN,
    Action,
    EndJob,
    EndMember,
    GiveUp,
    MemberFacts,
    Replace,
    Wish,
    supervise,
)
from tests.apps.jobs.domain.told import NOON

WISH = Wish(world_size=2, standbys=1, coordinators=1, started_at=NOON)
RUNNING = JobFacts(
    world_size=2,
    epoch=1,
    ranks={0: RankFacts(owner="node-0"), 1: RankFacts(owner="node-1")},
    standbys=("standby-0",),
)
LATER = NOON + timedelta(minutes=5)


def member(name: str, **fields: Any) -> MemberFacts:
    kind = name.split("-", maxsplit=1)[0]
    role = {"node": Role.RANK, "standby": Role.STANDBY, "coordinator": Role.COORDINATOR}[kind]
    values = {"role": role, "node": UUID(int=1), "state": "running", "wanted_at": NOON}
    return MemberFacts(name=name, **{"since": NOON, **values, **fields})


def fleet(**changes: dict[str, Any]) -> list[MemberFacts]:
    names = ("coordinator-0", "node-0", "node-1", "standby-0")
    return [member(name, **changes.get(name.replace("-", "_"), {})) for name in names]


def due(
    members: list[MemberFacts], *, facts: JobFacts = RUNNING, wish: Wish = WISH, **fields: Any
) -> tuple[Action, ...]:
    values = {"leader_heard": True, "now": LATER}
    return supervise(wish=wish, facts=facts, members=members, **{**values, **fields})


def test_a_complete_job_needs_nothing() -> None:
    assert due(fleet()) == ()


def test_a_standby_that_is_gone_is_replaced() -> None:
    assert due(fleet(standby_0={"state": "exited", "exit_status": -9})) == (
        Replace(role=Role.STANDBY),
    )


def test_a_rank_that_was_lost_leaves_a_place_for_a_standby_as_the_old_one_took_it_over() -> None:
    assert due(fleet(node_1={"state": "exited", "exit_status": -9})) == (
        Replace(role=Role.STANDBY),
    )


def test_no_standby_is_placed_until_it_is_known_which_one_took_the_rank_over() -> None:
    lost = {"state": "exited", "exit_status": -9, "since": LATER}
    wanted = (Replace(role=Role.STANDBY),)
    soon, late = LATER + TAKEOVER_WITHIN / 2, LATER + TAKEOVER_WITHIN
    assert due(fleet(node_1=lost), now=soon) == ()
    assert due(fleet(node_1=lost), now=late) == wanted
    # the one that has it is a standby no more
    taken = replace(RUNNING, ranks={**RUNNING.ranks, 1: RankFacts(owner="standby-0")}, standbys=())
    assert due(fleet(node_1=lost), facts=taken, now=soon) == wanted
    # and where none lives the job waits for a new one
    nobody = due(fleet(node_1=lost, standby_0={**lost, "since": NOON}), now=soon)
    assert nobody == wanted * 2


def test_a_former_owner_that_left_after_a_swap_is_replaced_although_it_ended_well() -> None:
    facts = JobFacts(
        world_size=2,
        epoch=2,
        ranks={0: RankFacts(owner="node-0"), 1: RankFacts(owner="standby-0")},
    )
    members = fleet(node_1={"state": "exited", "exit_status": 0})
    assert due(members, facts=facts) == (Replace(role=Role.STANDBY),)


def test_an_owner_that_ends_by_itself_is_not_replaced_as_the_job_is_about_to_end() -> None:
    assert due(fleet(node_1={"state": "exited", "exit_status": 0})) == ()


def test_a_coordinator_is_replaced_by_one() -> None:
    assert due(fleet(coordinator_0={"state": "exited", "exit_status": 1})) == (
        Replace(role=Role.COORDINATOR),
    )


def test_a_fresh_loss_is_left_to_the_job_for_a_moment() -> None:
    gone = {"state": "exited", "exit_status": -9, "since": LATER}
    assert due(fleet(standby_0=gone), now=LATER + REPLACE_AFTER / 2) == ()
    assert due(fleet(standby_0=gone), now=LATER + REPLACE_AFTER) == (Replace(role=Role.STANDBY),)


@pytest.mark.parametrize("state", ["failed", "refused", "expired"])
def test_a_member_whose_start_came_to_nothing_is_given_up(state: str) -> None:
    members = fleet(standby_0={"state": "wanted", "command": state})
    assert due(members) == (GiveUp(member="standby-0", reason=f"its start was {state}"),)


def test_a_member_on_a_silent_node_is_kept_while_the_leader_knows_it() -> None:
    assert due(fleet(standby_0={"node_heard": False})) == ()


def test_a_member_that_neither_node_nor_leader_knows_is_given_up() -> None:
    facts = JobFacts(world_size=2, epoch=1, ranks=RUNNING.ranks)
    given_up = due(fleet(standby_0={"node_heard": False}), facts=facts)
    assert given_up == (
        GiveUp(member="standby-0", reason="neither its node nor the leader knows of it"),
    )


def test_nothing_is_concluded_from_a_leader_that_is_not_heard() -> None:
    facts = JobFacts(world_size=2, epoch=1, ranks=RUNNING.ranks)
    assert due(fleet(standby_0={"node_heard": False}), facts=facts, leader_heard=False) == ()


def test_a_coordinator_on_a_silent_node_is_given_up() -> None:
    assert due(fleet(coordinator_0={"node_heard": False})) == (
        GiveUp(member="coordinator-0", reason="its node is not heard of"),
    )


def test_a_lost_member_that_lingers_is_ended_and_replaced() -> None:
    members = fleet(standby_0={"lost_at": LATER - LINGER_MAX})
    assert due(members) == (
        EndMember(member="standby-0", reason="it was declared lost and still runs"),
        Replace(role=Role.STANDBY),
    )


def test_a_member_that_was_asked_for_fills_its_place_before_it_runs() -> None:
    assert due(fleet(standby_0={"state": "wanted", "command": "sent"})) == ()


def test_short_lives_in_a_row_end_the_replacing() -> None:
    failed = [
        member(f"standby-{number}", state="exited", exit_status=1,
               wanted_at=NOON + timedelta(seconds=number),
               since=NOON + timedelta(seconds=number + 2))
        for number in range(1, SHORT_LIVES_MAX + 1)
    ]  # fmt: skip
    members = [each for each in fleet() if each.name != "standby-0"]
    assert due([*members, *failed]) == ()
    assert due([*members, *failed[1:]]) == (Replace(role=Role.STANDBY),)


def test_replacements_have_an_end() -> None:
    gone = [
        member(f"standby-{number}", state="gone", wanted_at=NOON + timedelta(seconds=number))
        for number in range(REPLACEMENTS_MAX + 1)
    ]
    members = [each for each in fleet() if each.name != "standby-0"]
    assert due([*members, *gone]) == ()


@pytest.mark.parametrize(("ended", "action"), [("finished", "finish"), ("failed", "fail")])
def test_the_leaders_verdict_ends_the_job(ended: str, action: str) -> None:
    facts = JobFacts(world_size=2, epoch=1, ended=ended, ended_reason="so it is")
    assert due(fleet(), facts=facts) == (EndJob(action=action, reason="so it is"),)


def test_a_job_whose_end_was_asked_for_counts_as_stopped() -> None:
    wish = Wish(world_size=2, standbys=1, coordinators=1, started_at=NOON, stop_at=LATER)
    facts = JobFacts(world_size=2, epoch=1, ended="failed", ended_reason="stopped by SIGTERM")
    assert due(fleet(), facts=facts, wish=wish) == (
        EndJob(action="stop", reason="stopped by SIGTERM"),
    )


def test_nothing_is_replaced_in_a_job_that_is_being_stopped() -> None:
    wish = Wish(world_size=2, standbys=1, coordinators=1, started_at=NOON, stop_at=LATER)
    assert due(fleet(standby_0={"state": "exited", "exit_status": -9}), wish=wish) == ()


def test_a_rank_that_ends_by_itself_before_the_first_epoch_fails_the_job() -> None:
    members = fleet(node_1={"state": "exited", "exit_status": 2})
    assert due(members, facts=JobFacts(world_size=2)) == (
        EndJob(action="fail", reason="node-1 ended with exit status 2 before a step"),
    )


def test_a_rank_that_is_killed_before_the_first_epoch_is_replaced() -> None:
    members = fleet(node_1={"state": "exited", "exit_status": -9})
    assert due(members, facts=JobFacts(world_size=2)) == (Replace(role=Role.STANDBY),)


def test_a_job_that_does_not_come_together_fails() -> None:
    late = NOON + START_WITHIN
    assert due(fleet(), facts=JobFacts(world_size=2), now=late) == (
        EndJob(action="fail", reason="its ranks have not come together in 10 minutes"),
    )
