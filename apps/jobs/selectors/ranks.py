"""The ranks of a job: who owns each, where, since when, and what protects it."""

from dataclasses import dataclass
from datetime import datetime

from apps.fleet.models import Node
from apps.fleet.selectors.nodes import nodes_at
from apps.jobs.domain.facts import UNKNOWN
from apps.jobs.domain.protection import is_stale
from apps.jobs.models import Job, Member
from apps.jobs.selectors.facts import facts_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A member, and where it runs."""

    member: str
    # None: no agent has said where
    node: Node | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRow:
    """One rank; None is unknown."""

    rank: int
    owner: Standing | None
    epoch_from: int | None
    # one of `states.PROTECTIONS`, as it is now
    protection: str
    mirrors: tuple[Standing, ...]
    # steps that the nearest mirror is behind
    lag_steps: int | None


def ranks_get(*, job: Job, now: datetime) -> list[RankRow]:
    """Return every rank of a job, also those of which nothing is known; two queries."""
    facts = facts_of(job)
    stale = job.state != "running" or is_stale(reported_at=job.reported_at, now=now)
    nodes = _nodes(job, now=now)
    rows = []
    for rank in range(job.world_size):
        each = facts.rank(rank)
        owner = None if each.owner is None else _standing(each.owner, nodes)
        rows.append(
            RankRow(
                rank=rank,
                owner=owner,
                epoch_from=each.owner_since_epoch,
                protection=UNKNOWN if stale else each.protection,
                mirrors=tuple(_standing(name, nodes) for name in each.mirrors),
                lag_steps=None if stale else each.lag_steps,
            )
        )
    return rows


def _standing(member: str, nodes: dict[str, Node]) -> Standing:
    return Standing(member=member, node=nodes.get(member))


def _nodes(job: Job, *, now: datetime) -> dict[str, Node]:
    where = dict(Member.objects.filter(job=job).values_list("name", "node_id"))
    nodes = {node.id: node for node in nodes_at(now=now).filter(id__in=set(where.values()))}
    return {name: nodes[node_id] for name, node_id in where.items() if node_id in nodes}
