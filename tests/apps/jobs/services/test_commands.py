"""Commands: decided once, ordered by their fence, done when the agent says so."""

from datetime import timedelta
from typing import Any

import pytest

from apps.core.ids import new_id
from apps.jobs.models import Command, Job
from apps.jobs.services import (
    Order,
    command_queue,
    commands_answer,
    commands_expire,
    commands_queue,
)
from apps.jobs.services.commands import BEGIN_WITHIN, FINISH_WITHIN, commands_sent
from hotswap.wire.plane import CommandResult, StopMember
from tests.apps.jobs.making import NOW, fleet, fresh, later, submitted, tenant

pytestmark = pytest.mark.django_db


@pytest.fixture(name="job")
def _job() -> Job:
    fleet(tenant())
    return submitted(tenant())


def queued(job: Job, **changes: Any) -> Command:
    values = {
        "tenant_id": job.tenant_id,
        "job_id": job.id,
        "node_id": job.tenant.nodes.order_by("name")[0].id,
        "kind": "stop_member",
        "payload": StopMember(member="node-0"),
        "at": NOW,
    }
    return command_queue(**{**values, **changes})


def answer(command: Command, state: str, *, at: Any = NOW, **fields: Any) -> None:
    result = CommandResult(command=str(command.id), state=state, **fields)  # type: ignore[arg-type]  # one of the literals
    commands_answer(results={command.node_id: [result]}, at=at)


def state_of(command: Command) -> str:
    return Command.objects.get(id=command.id).state


def test_each_decision_raises_the_fence(job: Job) -> None:
    assert [queued(job).fence for _ in range(3)] == [1, 2, 3]
    assert fresh(job).fence == 3


def test_the_same_key_is_the_same_command_and_no_new_decision(job: Job) -> None:
    first = queued(job, key="swap:1")
    assert queued(job, key="swap:1").id == first.id
    assert (Command.objects.count(), fresh(job).fence) == (1, 1)


def test_the_commands_of_one_decision_share_its_fence(job: Job) -> None:
    nodes = job.tenant.nodes.order_by("name")[:2]
    orders = [
        Order(node_id=each.id, kind="stop_member", payload=StopMember(member="m")) for each in nodes
    ]
    made = commands_queue(tenant_id=job.tenant_id, job_id=job.id, orders=orders, at=NOW)
    assert [each.fence for each in made] == [1, 1]


@pytest.mark.parametrize("state", ["done", "failed", "refused", "expired"])
def test_a_result_ends_a_command_and_is_kept(job: Job, state: str) -> None:
    command = queued(job)
    answer(command, state, detail="because", values={"pid": 7}, at=later(1))
    row = Command.objects.get(id=command.id)
    assert (row.state, row.detail, row.result) == (state, "because", {"pid": 7})
    assert row.answered_at == later(1)


def test_the_first_final_result_stays(job: Job) -> None:
    command = queued(job)
    answer(command, "done")
    answer(command, "failed")
    answer(command, "accepted")
    assert state_of(command) == "done"


def test_an_acceptance_is_followed_by_a_result(job: Job) -> None:
    command = queued(job)
    commands_sent(ids=[command.id], at=NOW)
    assert state_of(command) == "sent"
    answer(command, "accepted")
    assert state_of(command) == "accepted"
    answer(command, "done")
    assert state_of(command) == "done"


def test_the_answer_of_another_node_is_passed_over(job: Job) -> None:
    command = queued(job)
    other = job.tenant.nodes.order_by("name")[1]
    result = CommandResult(command=str(command.id), state="done")
    assert commands_answer(results={other.id: [result]}, at=NOW) == frozenset()
    assert state_of(command) == "queued"


def test_an_answer_about_nothing_that_is_known_is_passed_over(job: Job) -> None:
    node = job.tenant.nodes.order_by("name")[0]
    results = [CommandResult(command=each, state="done") for each in ("no id", str(new_id()))]
    assert commands_answer(results={node.id: results}, at=NOW) == frozenset()


def test_an_answer_names_the_job_that_it_concerns_once(job: Job) -> None:
    command = queued(job)
    result = CommandResult(command=str(command.id), state="done")
    found = commands_answer(results={command.node_id: [result]}, at=NOW)
    again = commands_answer(results={command.node_id: [result]}, at=NOW)
    assert (found, again) == (frozenset({job.id}), frozenset())


def test_what_nobody_has_begun_in_time_expires(job: Job) -> None:
    command = queued(job)
    assert commands_expire(now=NOW + BEGIN_WITHIN) == frozenset()
    late = NOW + BEGIN_WITHIN + timedelta(seconds=1)
    assert commands_expire(now=late) == frozenset({job.id})
    assert state_of(command) == "expired"
    answer(command, "done")
    assert state_of(command) == "expired"


def test_what_was_begun_has_longer(job: Job) -> None:
    command = queued(job)
    answer(command, "accepted")
    assert commands_expire(now=NOW + BEGIN_WITHIN + timedelta(seconds=1)) == frozenset()
    late = NOW + BEGIN_WITHIN + FINISH_WITHIN + timedelta(seconds=1)
    assert commands_expire(now=late) == frozenset({job.id})
