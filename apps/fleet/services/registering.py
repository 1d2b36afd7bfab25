"""Nodes that make themselves known: an agent enrols, and speaks for a node from then on."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from apps.core.access import SYSTEM, Actor
from apps.fleet.domain.states import NodeState
from apps.fleet.errors import NodeNameTaken
from apps.fleet.models import Cluster, Node, NodeClass
from apps.fleet.services.announcing import Happening, happenings_note

# where a node goes whose tenant has not said in which cluster it stands
CLUSTER_DEFAULT = "default"
# class of a node that nobody has described
CLASS_DEFAULT = "undescribed"


@transaction.atomic
def node_register(
    *,
    tenant_id: UUID,
    name: str,
    at: datetime,
    agent_id: UUID | None = None,
    cluster: str | None = None,
    node_class: str = CLASS_DEFAULT,
    actor: Actor = SYSTEM,
) -> Node:
    """Return the tenant's node of that name, made if there is none; the agent speaks for it.

    Safe to repeat. A node that is there keeps its cluster and its class.

    Args:
        tenant_id: whose node.
        name: its name.
        at: when.
        agent_id: the agent that speaks for it from now on; None leaves that as it is.
        cluster: name of the cluster; None: the one in which the tenant has that node, else the
            only one in which the tenant has nodes, else one called `CLUSTER_DEFAULT`.
        node_class: name of the class of a new node.
        actor: who does it.

    Raises:
        NodeNameTaken: if the name belongs to somebody else in that cluster, or if the tenant has
            several nodes of that name and has not said in which cluster.
    """
    node = _find(tenant_id=tenant_id, name=name, cluster=cluster)
    is_new = node is None
    if node is None:
        node = _make(tenant_id=tenant_id, name=name, cluster=cluster, node_class=node_class, at=at)
    if agent_id is not None and node.agent_id != agent_id:
        # an agent speaks for one node
        Node.objects.filter(agent_id=agent_id).update(agent=None)
        Node.objects.filter(id=node.id).update(agent=agent_id)
        node.agent_id = agent_id
    elif not is_new:
        return node
    happenings_note(
        happenings=[
            Happening(
                node_id=node.id,
                tenant_id=tenant_id,
                kind="registered",
                before="",
                after=node.name,
                reason="An agent speaks for it." if agent_id else "",
                fields={"name": node.name},
            )
        ],
        actor=actor,
        at=at,
    )
    return node


def _find(*, tenant_id: UUID, name: str, cluster: str | None) -> Node | None:
    """Return the tenant's node of a name, if there is exactly one that it can be."""
    rows = Node.objects.filter(tenant_id=tenant_id, name=name)
    if cluster is not None:
        rows = rows.filter(cluster__name=cluster)
    found = list(rows[:2])
    if len(found) > 1:
        raise NodeNameTaken(f"There are several nodes called {name}: say in which cluster.")
    return found[0] if found else None


def _make(
    *, tenant_id: UUID, name: str, cluster: str | None, node_class: str, at: datetime
) -> Node:
    """Return a new node."""
    place = _cluster(tenant_id=tenant_id, name=cluster, at=at)
    kind, _ = NodeClass.objects.get_or_create(name=node_class, defaults={"created_at": at})
    node, is_new = Node.objects.get_or_create(
        cluster=place,
        name=name,
        defaults={
            "tenant_id": tenant_id,
            "node_class": kind,
            "state": NodeState.ACTIVE.value,
            "state_at": at,
            "created_at": at,
        },
    )
    if not is_new and node.tenant_id != tenant_id:
        raise NodeNameTaken(f"{name} is taken in cluster {place.name}.")
    return node


def _cluster(*, tenant_id: UUID, name: str | None, at: datetime) -> Cluster:
    """Return the cluster of a name, or the only one of a tenant."""
    if name is None:
        theirs = list(Cluster.objects.filter(nodes__tenant_id=tenant_id).distinct()[:2])
        if len(theirs) == 1:
            return theirs[0]
        name = CLUSTER_DEFAULT
    return Cluster.objects.get_or_create(name=name, defaults={"created_at": at})[0]
