"""Jobs that hold ranks, for tests of a fleet that stands alone."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from django.db.models import Subquery

from apps.core.ids import new_id
from apps.fleet.models import Node
from apps.fleet.selectors.occupancy import HeldRank


def nothing(*, node_ids: Collection[UUID] | Subquery) -> Mapping[UUID, Sequence[HeldRank]]:
    """Answer that no node holds anything."""
    del node_ids
    return {}


def rank_3_everywhere(
    *, node_ids: Collection[UUID] | Subquery
) -> Mapping[UUID, Sequence[HeldRank]]:
    """Answer that every node holds rank 3 of a job."""
    found = Node.objects.filter(id__in=node_ids).values_list("id", flat=True)
    return {each: [HeldRank(job_id=new_id(), job_name="gpt", rank=3)] for each in found}
