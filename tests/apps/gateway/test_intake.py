"""One pass over the database for the reports of many agents."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import DatabaseError

from apps.accounts.models import Agent
from apps.core.models import OutboxMessage
from apps.fleet.models import Node, NodeReport
from apps.fleet.selectors.nodes import readings_from
from apps.gateway import hooks
from apps.gateway import intake as module
from apps.gateway.intake import Delivery, intake
from apps.jobs.models import Command, FoundJob, Job, LossPoint, Member
from hotswap.wire.plane import AttachableJob, CommandResult, Report
from tests.apps.gateway.making import NODE, delivery, question, report
from tests.apps.jobs.domain.told import committed, notice
from tests.apps.jobs.making import (
    NOW,
    agent,
    fleet,
    later,
    node,
    placed,
    process,
    tenant,
    told,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(name="nodes")
def _nodes() -> list[Node]:
    return fleet(tenant())


def take(*deliveries: Delivery, seconds: float = 0.0) -> list[module.Outcome]:
    return intake(deliveries, at=later(seconds))


def code_of(outcome: module.Outcome) -> str | None:
    return None if outcome.error is None else outcome.error.code


def test_a_report_of_a_node_is_kept_and_accepted(nodes: list[Node]) -> None:
    (outcome,) = take(delivery(nodes[0], report(7, node=NODE, at=later(1))), seconds=1)
    assert (outcome.error, outcome.accepted_sequence, outcome.commands) == (None, 7, ())
    kept = NodeReport.objects.get(node=nodes[0])
    assert (kept.boot, kept.sequence, kept.received_at) == ("b1", 7, later(1))
    readings = readings_from(kept.signals)
    assert [(each.name, each.value) for each in readings] == [("cpu_load", 0.5)]


def test_samples_that_were_given_up_are_told_once_there_are_any(nodes: list[Node]) -> None:
    take(delivery(nodes[0], report(2, node=NODE)))
    names = [each.name for each in readings_from(NodeReport.objects.get(node=nodes[0]).signals)]
    assert names == ["cpu_load"]
    take(delivery(nodes[0], report(3, node=NODE, dropped=3000)))
    readings = readings_from(NodeReport.objects.get(node=nodes[0]).signals)
    assert (readings[0].name, readings[0].value) == ("agent_samples_dropped", 3000)


def test_when_an_agent_was_seen_is_noted_now_and_then(nodes: list[Node]) -> None:
    for seconds in (0, 5, 11):
        take(delivery(nodes[0], report(seconds + 1)), seconds=seconds)
        seen = Agent.objects.get(node="n1").last_seen_at
        assert seen == later(0 if seconds < 10 else 11)


def test_the_first_use_of_the_next_certificate_ends_the_one_before(nodes: list[Node]) -> None:
    following = {"next_fingerprint": "next", "next_expires_at": later(90), "next_serial": "2"}
    Agent.objects.filter(node="n1").update(**following)
    before = delivery(nodes[0], report(1))
    after = replace(before, fingerprint="next", report=report(2))
    assert code_of(take(before)[0]) is None
    # both in one pass: whoever was under way gets its answer
    assert [code_of(each) for each in take(before, after)] == [None, None]
    assert Agent.objects.get(node="n1").fingerprint == "next"
    assert [code_of(each) for each in take(before, after)] == ["credential_refused", None]


def test_the_next_certificate_is_held_to_its_own_end(nodes: list[Node]) -> None:
    following = {"next_fingerprint": "next", "next_expires_at": later(5), "next_serial": "2"}
    Agent.objects.filter(node="n1").update(**following)
    before = delivery(nodes[0], report(1))
    after = replace(before, fingerprint="next")
    assert [code_of(each) for each in take(after, before, seconds=5)] == [
        "credential_refused",
        None,
    ]


@pytest.mark.parametrize(
    "spoil",
    [
        {"revoked_at": NOW},
        {"certificate_expires_at": NOW},
        {"fingerprint": "another"},
    ],
)
def test_a_certificate_that_is_not_good_is_refused_at_once(
    nodes: list[Node], spoil: dict[str, Any]
) -> None:
    mine = delivery(nodes[0], report(node=NODE, at=later(5)))
    other = delivery(nodes[1], report())
    Agent.objects.filter(node="n1").update(**spoil)
    refused, taken = take(mine, other, seconds=5)
    assert (code_of(refused), code_of(taken)) == ("credential_refused", None)
    assert NodeReport.objects.get(node=nodes[0]).received_at == NOW


def test_an_agent_without_a_node_is_told_so() -> None:
    lonely = agent(tenant(), "n9")
    (outcome,) = take(Delivery(fingerprint=lonely.fingerprint, report=report()))
    assert code_of(outcome) == "node_unknown"


def test_an_instant_that_is_none_refuses_one_report_and_no_other(nodes: list[Node]) -> None:
    for text in ("yesterday", "2026-01-01T00:00:00"):
        bad = Report(boot="b", sequence=1, sent_at=text, node=NODE)
        refused, taken = take(delivery(nodes[0], bad), delivery(nodes[1], report()))
        assert (code_of(refused), code_of(taken)) == ("report_refused", None)


def test_a_bad_instant_in_a_notice_refuses_one_report_and_no_other(nodes: list[Node]) -> None:
    job = placed(tenant())
    bad = told(job, [committed(0, at="never")])
    refused, taken = take(
        delivery(nodes[0], report(jobs=(bad,))),
        delivery(nodes[1], report(members=(process(job, "standby-7"),))),
    )
    assert (code_of(refused), code_of(taken)) == ("report_refused", None)
    assert Member.objects.filter(name="standby-7").exists()


def test_a_database_that_fails_has_agents_come_again(
    nodes: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr(module, "node_reports_ingest", fail)
    (outcome,) = take(delivery(nodes[0], report(node=NODE)))
    assert outcome.error is not None
    assert (outcome.error.status, outcome.error.extra["retry_after_s"]) == (503, 2)


def test_what_is_told_of_a_job_is_taken_in_and_looked_at(nodes: list[Node]) -> None:
    job = placed(tenant())
    OutboxMessage.objects.all().delete()
    jobs = (told(job, [notice("epoch_started", step=0), committed(0)]),)
    take(delivery(nodes[0], report(jobs=jobs)))
    assert LossPoint.objects.count() == 1
    wakes = OutboxMessage.objects.filter(topic="wake", kind="job_reconcile")
    assert [each.payload for each in wakes] == [{"job_id": str(job.id)}]


def test_steps_alone_wake_nobody_who_looks_after_members(nodes: list[Node]) -> None:
    job = placed(tenant())
    OutboxMessage.objects.all().delete()
    take(delivery(nodes[0], report(jobs=(told(job, [committed(0)]),))))
    assert not OutboxMessage.objects.filter(kind="job_reconcile").exists()


def test_whoever_swaps_ranks_is_told_of_everything_once(
    nodes: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = placed(tenant())
    heard: list[tuple[set[Any], set[Any]]] = []
    monkeypatch.setattr(
        hooks,
        "facts_arrived",
        lambda *, notable, stepped, at: heard.append((set(notable), set(stepped))),  # noqa: ARG005 - as it is called
    )
    take(delivery(nodes[0], report(jobs=(told(job, [committed(0)]),))))
    later_steps = told(job, [committed(1), notice("elected")], stream="s2")
    take(delivery(nodes[0], report(2, jobs=(later_steps,))))
    # again, and nothing at all
    take(delivery(nodes[0], report(3, jobs=(told(job, [committed(0)]),))))
    take(delivery(nodes[0], report(4, jobs=(told(job),))))
    assert heard == [(set(), {job.id}), ({job.id}, set()), (set(), set()), (set(), set())]


def test_commands_leave_in_the_order_of_decisions(nodes: list[Node]) -> None:
    placed(tenant())
    (outcome,) = take(delivery(nodes[0], question()))
    assert [(each.kind, each.fence) for each in outcome.commands] == [("start_member", 1)]
    assert Command.objects.get(node=nodes[0]).state == "sent"


def test_a_command_that_left_comes_again_only_after_a_while(nodes: list[Node]) -> None:
    placed(tenant())
    counts = []
    for seconds in (0, 1, 6):
        (outcome,) = take(delivery(nodes[0], question()), seconds=seconds)
        counts.append(len(outcome.commands))
    assert counts == [1, 0, 1]


def test_an_earlier_command_comes_again_together_with_a_later_one(nodes: list[Node]) -> None:
    job = placed(tenant())
    take(delivery(nodes[0], question()))
    Command.objects.create(
        tenant=job.tenant, node=nodes[0], job=job, kind="prepare", fence=2,
        deadline_at=later(60), created_at=NOW,
    )  # fmt: skip
    (outcome,) = take(delivery(nodes[0], question()), seconds=1)
    assert [each.fence for each in outcome.commands] == [1, 2]


def test_a_command_past_its_deadline_does_not_leave(nodes: list[Node]) -> None:
    placed(tenant())
    (outcome,) = take(delivery(nodes[0], question()), seconds=61)
    assert outcome.commands == ()


def test_a_result_ends_its_command(nodes: list[Node]) -> None:
    placed(tenant())
    (outcome,) = take(delivery(nodes[0], question()))
    result = CommandResult(command=outcome.commands[0].id, state="done", values={"pid": 7})
    (outcome,) = take(delivery(nodes[0], report(results=(result,))), seconds=20)
    assert outcome.commands == ()
    assert Command.objects.get(node=nodes[0]).result == {"pid": 7}


def test_a_question_takes_nothing_in_and_says_what_was_taken_in_last(nodes: list[Node]) -> None:
    take(delivery(nodes[0], report(4, node=NODE, at=later(1))), seconds=1)
    (same, other) = take(
        delivery(nodes[0], question()), delivery(nodes[0], question(boot="b2")), seconds=2
    )
    assert (same.accepted_sequence, other.accepted_sequence) == (4, 0)


def test_found_jobs_are_taken_in(nodes: list[Node]) -> None:
    found = AttachableJob(name="gpt", directory="/jobs/gpt", world_size=2, wanted=True)
    take(delivery(nodes[0], report(attachable=(found,))))
    assert Job.objects.get().attached
    assert not FoundJob.objects.exists()


def test_nothing_of_another_tenant_is_touched(nodes: list[Node]) -> None:
    job = placed(tenant())
    stranger = node("x1", tenant("borealis"))
    command = Command.objects.get(node=nodes[0])
    result = CommandResult(command=str(command.id), state="done")
    take(
        delivery(
            stranger,
            report(
                jobs=(told(job, [committed(0)]),),
                members=(process(job, "node-0"), process(job, "intruder-0", role="rank")),
                results=(result,),
            ),
        )
    )
    assert not LossPoint.objects.exists()
    assert set(Member.objects.values_list("state", flat=True)) == {"wanted"}
    assert Command.objects.get(id=command.id).state == "queued"


def test_many_reports_cost_as_many_queries_as_a_few(
    django_assert_max_num_queries: Any,
) -> None:
    nodes = [node(f"m{number}", tenant(), heard=None) for number in range(40)]
    for count in (2, 40):
        reports = [delivery(each, report(count, node=NODE, at=NOW)) for each in nodes[:count]]
        # the second time the nodes' grades and inventories are known
        intake(reports, at=NOW)
        again = [
            delivery(each, report(count + 1, node=NODE, at=later(1))) for each in nodes[:count]
        ]
        with django_assert_max_num_queries(17):
            intake(again, at=later(1))
