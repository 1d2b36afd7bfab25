"""What has to be done from time to time: a worker calls these."""

from datetime import datetime, timedelta

from django.db import transaction

from apps.core.access import SYSTEM
from apps.fleet.domain.grades import Grade
from apps.fleet.limits import (
    GRADES_EXPIRED_MAX,
    PRUNE_ROUNDS_MAX,
    SAMPLES_KEPT_S,
    SAMPLES_PRUNED_MAX,
)
from apps.fleet.models import Node, NodeReport, SignalSample
from apps.fleet.services.announcing import Happening, happenings_note


@transaction.atomic
def grades_expire(*, at: datetime) -> int:
    """Make grades unknown whose reports are stale, and tell; returns how many.

    Readers do not wait for it: `nodes_at` looks at the time itself.
    """
    rows = (
        NodeReport.objects.select_for_update(of=("self", "node"), no_key=True)
        .filter(stale_at__lte=at)
        .exclude(node__grade=Grade.UNKNOWN.value)
        .select_related("node")
        .order_by("node_id")[:GRADES_EXPIRED_MAX]
    )
    nodes = [row.node for row in rows]
    Node.objects.filter(id__in=[node.id for node in nodes]).update(
        grade=Grade.UNKNOWN.value, grade_at=at
    )
    happenings_note(
        happenings=[
            Happening(
                node_id=node.id,
                tenant_id=node.tenant_id,
                kind="grade",
                before=node.grade,
                after=Grade.UNKNOWN.value,
                reason="Its latest report is too old to speak about now.",
                fields={"grade": Grade.UNKNOWN.value, "stale": True},
            )
            for node in nodes
        ],
        actor=SYSTEM,
        at=at,
    )
    return len(nodes)


def samples_prune(*, at: datetime) -> int:
    """Delete samples that are too old for any chart, in small statements; returns how many.

    Ids grow with time, so that the oldest rows are found without looking at the others.
    """
    before = at - timedelta(seconds=SAMPLES_KEPT_S)
    deleted = 0
    for _ in range(PRUNE_ROUNDS_MAX):
        oldest = list(
            SignalSample.objects.order_by("id").values_list("id", "at")[:SAMPLES_PRUNED_MAX]
        )
        old = [sample_id for sample_id, sampled_at in oldest if sampled_at < before]
        if old:
            SignalSample.objects.filter(id__in=old).delete()
        deleted += len(old)
        if len(old) < SAMPLES_PRUNED_MAX:
            break
    return deleted
