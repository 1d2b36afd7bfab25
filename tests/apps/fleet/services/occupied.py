"""Jobs that hold ranks, for tests of a fleet that stands alone."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from apps.core.ids import new_id
from apps.fleet.selectors.occupancy import HeldRank


def nothing(*, node_ids: Collection[UUID]) -> Mapping[UUID, Sequence[HeldRank]]:
    """Answer that no node holds anything."""
    del node_ids
    return {}


def rank_3_everywhere(*, node_ids: Collection[UUID]) -> Mapping[UUID, Sequence[HeldRank]]:
    """Answer that every node holds rank 3 of a job."""
    return {each: [HeldRank(job_id=new_id(), job_name="gpt", rank=3)] for each in node_ids}
