"""Which ranks a node holds. Jobs stand above the fleet, so that the fleet has to be told."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast
from uuid import UUID

from django.conf import settings
from django.db.models import Subquery
from django.utils.module_loading import import_string


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldRank:
    """A rank that a node holds."""

    # the job
    job_id: UUID
    # its name
    job_name: str
    # the rank; None: a standby of the job
    rank: int | None


class Occupancy(Protocol):
    """Answers for the jobs: named in the setting ``FLEET_OCCUPANCY`` by its path.

    Called with ids of nodes, or what selects them; returns the ranks of those that hold any.
    """

    def __call__(
        self, *, node_ids: Collection[UUID] | Subquery
    ) -> Mapping[UUID, Sequence[HeldRank]]:
        """Return the ranks by node."""


def ranks_held(*, node_ids: Collection[UUID] | Subquery) -> Mapping[UUID, Sequence[HeldRank]]:
    """Return the ranks that nodes hold, by node; nothing where there are no jobs at all."""
    path: str | None = getattr(settings, "FLEET_OCCUPANCY", None)
    if path is None or not node_ids:
        return {}
    occupancy = cast("Occupancy", import_string(path))
    return occupancy(node_ids=node_ids)
