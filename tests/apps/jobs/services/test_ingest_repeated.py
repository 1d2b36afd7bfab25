"""However a job's notices are cut into reports, and sent again, the job is the same in the end."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.jobs.models import Job, JobEvent, LossPoint, RankOwner
from apps.jobs.services import job_ingest
from hotswap.wire.plane import JobReport, NoticeReport
from tests.apps.jobs.domain.told import committed, notice
from tests.apps.jobs.making import later, node, placed, tenant

pytestmark = pytest.mark.django_db

#: What a job tells that loses a rank, is swapped on plan, and goes back to a checkpoint.
STORY: Sequence[NoticeReport] = tuple(
    msgspec.structs.replace(each, offset=number)
    for number, each in enumerate(
        [
            notice("epoch_started", step=0),
            committed(0),
            committed(1),
            notice("mirror_complete", rank=0, member="standby-0", step=1),
            notice("member_lost", rank=1, member="node-1", text="killed"),
            notice("epoch_started", epoch=2, step=2),
            notice("unplanned_completed", epoch=2, rank=1, member="standby-0", step=2),
            committed(2, epoch=2),
            notice("swap_completed", epoch=3, rank=0, member="standby-1", step=3),
            committed(3, epoch=3),
            notice("restored", epoch=4, step=2, values={"steps_lost": 2.0}),
            committed(2, epoch=4),
            committed(3, epoch=4),
        ]
    )
)
SHOWN = (
    "epoch", "committed_step", "protection", "loss", "productive_s", "events_count", "leader",
)  # fmt: skip


def report(job: Job, notices: Sequence[NoticeReport]) -> JobReport:
    end = notices[-1].offset + 1 if notices else 0
    return JobReport(job=str(job.id), stream="s", offset=end, notices=tuple(notices))


def outcome(job: Job) -> dict[str, Any]:
    row = Job.objects.values(*SHOWN).get(id=job.id)
    events = JobEvent.objects.filter(job=job, stream="s").order_by("sequence")
    losses = LossPoint.objects.filter(job=job).order_by("epoch", "step")
    owners = RankOwner.objects.filter(job=job).order_by("rank", "epoch_from")
    return {
        **row,
        "events": list(events.values_list("offset", "kind")),
        "losses": list(losses.values_list("epoch", "step", "loss")),
        "owners": list(owners.values_list("rank", "member", "epoch_from", "epoch_to")),
    }


def told(number: int, cuts: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Return what becomes of a job that was told of its story in such pieces."""
    of = tenant(f"tenant-{number}")
    if not of.nodes.exists():
        for each in range(4):
            node(f"t{number}n{each}", of, spare=each == 3)
    job = placed(of)
    node_id = of.nodes.order_by("name")[0].id
    for at, (start, end) in enumerate(cuts):
        job_ingest(
            tenant_id=job.tenant_id,
            node_id=node_id,
            report=report(job, STORY[start:end]),
            at=later(at),
        )
    return outcome(job)


@st.composite
def pieces(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Return pieces of the story, some of them twice, as an agent sends that got no answer."""
    cuts, start = [], 0
    while start < len(STORY):
        end = draw(st.integers(start + 1, len(STORY)))
        cuts += [(start, end)] * draw(st.integers(1, 2))
        # what was not acknowledged comes again, with more
        start = end if draw(st.booleans()) else max(draw(st.integers(start, end)), start + 1)
    return cuts


@given(cuts=st.lists(pieces(), min_size=2, max_size=4))
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_cut_of_a_story_ends_alike(cuts: list[list[tuple[int, int]]]) -> None:
    Job.objects.all().delete()
    whole = told(0, [(0, len(STORY))])
    for number, each in enumerate(cuts, start=1):
        assert told(number, each) == whole, each
