"""Finds what has a page: nodes, jobs and swaps, by part of a name or by id."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Q

from apps.fleet.models import Node
from apps.jobs.models import Job
from apps.swaps.models import Swap
from apps.swaps.selectors.swaps import swaps_shown

KINDS: Final = ("node", "job", "swap")
#: Hits of each kind; who wants more goes to the list.
HITS_PER_KIND_MAX: Final = 5
#: Longer questions are cut.
QUERY_LENGTH_MAX: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Something that was found."""

    # one of KINDS
    kind: str
    id: UUID
    # what people call it
    name: str
    # its page in the front end
    path: str


def find(*, text: str, tenants: Collection[UUID]) -> list[Hit]:
    """Return what matches in some tenants: jobs, then nodes, then swaps; three queries."""
    return [*_jobs(text, tenants), *_nodes(text, tenants), *_swaps(text, tenants)]


def _jobs(text: str, tenants: Collection[UUID]) -> Iterator[Hit]:
    rows = Job.objects.filter(_named("name", text), tenant_id__in=tenants).order_by("-id")
    for job in rows.only("id", "name")[:HITS_PER_KIND_MAX]:
        yield Hit(kind="job", id=job.id, name=job.name, path=f"/jobs/{job.id}")


def _nodes(text: str, tenants: Collection[UUID]) -> Iterator[Hit]:
    rows = Node.objects.filter(_named("name", text), tenant_id__in=tenants).order_by("name")
    for node in rows.only("id", "name")[:HITS_PER_KIND_MAX]:
        yield Hit(kind="node", id=node.id, name=node.name, path=f"/nodes/{node.id}")


def _swaps(text: str, tenants: Collection[UUID]) -> Iterator[Hit]:
    named = (
        _named("job__name", text)
        | Q(source_node__name__icontains=text)
        | Q(target_node__name__icontains=text)
    )
    rows = swaps_shown().filter(named, tenant_id__in=tenants).order_by("-id")
    for swap in rows[:HITS_PER_KIND_MAX]:
        yield Hit(kind="swap", id=swap.id, name=_swap_name(swap), path=f"/swaps/{swap.id}")


def _named(field: str, text: str) -> Q:
    """Return the condition for part of a name, or for a whole id."""
    named = Q(**{f"{field}__icontains": text})
    try:
        return named | Q(id=UUID(text))
    except ValueError:
        return named


def _swap_name(swap: Swap) -> str:
    source, target = (
        "?" if node is None else node.name for node in (swap.source_node, swap.target_node)
    )
    return f"{source} \N{RIGHTWARDS ARROW} {target}, {swap.job.name} rank {swap.rank}"
