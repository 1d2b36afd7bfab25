"""What agents tell of jobs becomes rows, once."""

import pytest

from apps.core.ids import new_id
from apps.core.models import OutboxMessage
from apps.jobs.models import (
    Certificate,
    Job,
    JobEvent,
    JobStream,
    LossPoint,
    Member,
    MirrorState,
    RankOwner,
)
from apps.jobs.services import Ingested, job_ingest
from hotswap.wire.plane import CertificateReport, JobReport
from tests.apps.jobs.domain.told import committed, notice, rank, status
from tests.apps.jobs.making import NOW, fleet, fresh, later, placed, run_all, tenant, told

pytestmark = pytest.mark.django_db


@pytest.fixture(name="job")
def _job() -> Job:
    fleet(tenant())
    job = placed(tenant())
    run_all(job)
    return job


def ingest(job: Job, report: JobReport, *, seconds: float = 0.0) -> Ingested | None:
    node_id = job.tenant.nodes.get(name="n2").id
    return job_ingest(tenant_id=job.tenant_id, node_id=node_id, report=report, at=later(seconds))


STATUS = status(
    rank(0, "node-0", mirrors=("standby-0",), lag_steps=1),
    rank(1, "node-1", mirrors=("standby-0",), lag_steps=0),
    standbys=("standby-0",),
    committed=4,
)


def test_the_first_epoch_makes_the_job_run(job: Job) -> None:
    ingest(job, told(job, [notice("epoch_started", step=0)], status=STATUS))
    job = fresh(job)
    assert (job.state, job.epoch, job.committed_step) == ("running", 1, 4)
    assert (job.protection, job.leader, job.standbys) == (
        "protected",
        "coordinator-0",
        ["standby-0"],
    )
    assert job.reported_at == NOW
    assert JobEvent.objects.filter(kind="job_running").count() == 1


def test_losses_are_kept_by_epoch_and_step(job: Job) -> None:
    steps = [committed(0, loss=3.0), committed(1, loss=2.5, values={"validation_loss": 2.9})]
    ingest(job, told(job, [*steps, committed(1, loss=2.4, epoch=2)]))
    kept = LossPoint.objects.order_by("epoch", "step")
    assert list(kept.values_list("epoch", "step", "loss", "validation_loss")) == [
        (1, 0, 3.0, None),
        (1, 1, 2.5, 2.9),
        (2, 1, 2.4, None),
    ]


def test_the_same_report_again_changes_nothing(job: Job) -> None:
    certificate = CertificateReport(swap="s-1", document={"rank": 0})
    report = told(
        job,
        [committed(0), notice("member_joined", member="node-0")],
        status=STATUS,
        certificates=[certificate],
    )
    first = ingest(job, report)
    counts = [each.objects.count() for each in (LossPoint, JobEvent, RankOwner, Certificate)]
    again = ingest(job, report)
    assert first == Ingested(job_id=job.id, notable=True, stepped=True)
    assert again == Ingested(job_id=job.id, notable=False, stepped=False)
    assert [
        each.objects.count() for each in (LossPoint, JobEvent, RankOwner, Certificate)
    ] == counts


def test_two_agents_that_tell_of_one_job_make_one_history(job: Job) -> None:
    events = [notice("member_joined", member=f"node-{number}") for number in range(4)]
    whole = told(job, events)
    ingest(job, JobReport(job=whole.job, stream="s1", offset=4, notices=whole.notices[2:]))
    ingest(job, JobReport(job=whole.job, stream="s1", offset=3, notices=whole.notices[:3]))
    kept = JobEvent.objects.filter(kind="member_joined").order_by("sequence")
    assert [each.member for each in kept] == ["node-2", "node-3", "node-0", "node-1"]
    assert JobStream.objects.get().offset == 4


def test_what_comes_late_is_history_and_takes_nothing_back(job: Job) -> None:
    steps = told(job, [committed(number) for number in range(6)])
    ingest(job, JobReport(job=steps.job, stream="s1", offset=6, notices=steps.notices[3:]))
    ingest(job, JobReport(job=steps.job, stream="s1", offset=3, notices=steps.notices[:3]))
    assert fresh(job).committed_step == 6
    assert LossPoint.objects.count() == 6


def test_events_are_numbered_without_gaps(job: Job) -> None:
    for stream in ("s1", "s2"):
        ingest(job, told(job, [notice("elected"), committed(0), notice("elected")], stream=stream))
    numbers = JobEvent.objects.filter(job=job).order_by("sequence")
    count = numbers.count()
    assert list(numbers.values_list("sequence", flat=True)) == list(range(1, count + 1))


def test_owners_are_kept_from_epoch_to_epoch_with_their_nodes(job: Job) -> None:
    ingest(job, told(job, status=STATUS))
    ingest(
        job,
        told(
            job,
            [
                notice("unplanned_completed", rank=1, member="standby-0", epoch=2, step=9),
                notice("swap_completed", rank=1, member="standby-1", epoch=5, step=20),
            ],
        ),
        seconds=1,
    )
    rows = RankOwner.objects.filter(rank=1).order_by("epoch_from")
    assert list(rows.values_list("member", "node__name", "epoch_from", "epoch_to")) == [
        ("node-1", "n3", 1, 1),
        ("standby-0", "n5", 2, 4),
        ("standby-1", None, 5, None),
    ]


def test_mirrors_follow_the_snapshot(job: Job) -> None:
    ingest(job, told(job, status=STATUS))
    rows = MirrorState.objects.order_by("rank")
    assert list(rows.values_list("rank", "member", "protection", "lag_steps")) == [
        (0, "standby-0", "protected", 1),
        (1, "standby-0", "protected", 0),
    ]
    ingest(job, told(job, status=status(rank(0, "node-0", "unprotected"), rank(1, "node-1"))))
    assert not MirrorState.objects.exists()
    assert fresh(job).protection == "unprotected"


def test_a_member_that_the_leader_lost_counts_no_more(job: Job) -> None:
    ingest(job, told(job, [notice("member_lost", member="node-1", text="killed", rank=1)]))
    lost = Member.objects.get(name="node-1")
    assert (lost.lost_reason, lost.lost_at is not None) == ("killed", True)
    assert Member.objects.filter(lost_at=None).count() == 4


def test_a_second_certificate_of_a_swap_is_refused_and_noted(job: Job) -> None:
    documents: tuple[dict[str, object], ...] = ({"rank": 0}, {"rank": 1})
    for document in documents:
        certificate = CertificateReport(swap="s-1", document=document)
        ingest(job, told(job, certificates=[certificate]))
    assert Certificate.objects.get().document == {"rank": 0}
    assert JobEvent.objects.filter(kind="certificate_refused").count() == 1


def test_a_report_without_a_leaders_word_leaves_the_job_to_become_stale(job: Job) -> None:
    ingest(job, told(job, status=STATUS))
    ingest(job, told(job), seconds=30)
    assert fresh(job).reported_at == NOW


def test_a_job_of_another_tenant_does_not_exist(job: Job) -> None:
    other = tenant("borealis")
    node_id = job.tenant.nodes.get(name="n2").id
    report = told(job, [committed(0)])
    assert job_ingest(tenant_id=other.id, node_id=node_id, report=report, at=NOW) is None
    unknown = JobReport(job="not an id", stream="s", offset=0)
    assert ingest(job, unknown) is None
    assert ingest(job, JobReport(job=str(new_id()), stream="s", offset=0)) is None
    assert not LossPoint.objects.exists()


def progress() -> list[dict[str, object]]:
    rows = OutboxMessage.objects.filter(kind="job.progress").order_by("id")
    return [each.payload for each in rows]


def test_progress_is_told_with_the_steps_since_the_last_time(job: Job) -> None:
    ingest(job, told(job, [committed(0, loss=3.0)]))
    (sent,) = progress()
    assert (sent["step"], sent["committed_step"], sent["loss"], sent["epoch"]) == (0, 1, 3.0, 1)
    assert sent["points"] == [
        {"epoch": 1, "step": 0, "loss": 3.0, "validation_loss": None, "step_s": 0.5}
    ]


def test_progress_is_told_a_few_times_a_second_and_nothing_is_left_out(job: Job) -> None:
    whole = told(job, [committed(number) for number in range(20)])
    for number, each in enumerate(whole.notices):
        report = JobReport(job=whole.job, stream="s1", offset=number + 1, notices=(each,))
        ingest(job, report, seconds=number * 0.05)
    sent = progress()
    assert len(sent) == 3
    steps = [point["step"] for each in sent for point in each["points"]]  # type: ignore[attr-defined]  # a list of points
    assert steps == list(range(17))


def test_a_change_of_protection_does_not_wait(job: Job) -> None:
    ingest(job, told(job, status=STATUS))
    ingest(job, told(job, [notice("protection_lost", rank=0)]), seconds=0.01)
    assert [each["protection"] for each in progress()] == ["protected", "unprotected"]


def test_more_steps_than_fit_are_told_as_incomplete(job: Job) -> None:
    ingest(job, told(job, [committed(number) for number in range(60)]))
    (sent,) = progress()
    points = sent["points"]
    assert isinstance(points, list)
    assert (len(points), points[-1]["step"], sent["complete"]) == (50, 59, False)


def test_a_batch_of_steps_costs_a_few_queries(
    job: Job, django_assert_max_num_queries: object
) -> None:
    ingest(job, told(job, status=STATUS))
    report = told(job, [committed(number) for number in range(200)], status=STATUS)
    with django_assert_max_num_queries(14):  # type: ignore[operator]  # pytest-django's fixture
        ingest(job, report, seconds=1)
