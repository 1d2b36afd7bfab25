"""Fleets that come from other systems: compared by name first, then written as a whole."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction

from apps.audit.services import audit_record
from apps.core.access import Actor
from apps.fleet.domain.imports import FleetUnreadable, fleet_read
from apps.fleet.domain.imports.changes import ImportPlan, Reference, import_plan
from apps.fleet.domain.imports.values import ReadNode
from apps.fleet.domain.layout import domains_above
from apps.fleet.domain.states import NodeState
from apps.fleet.errors import FleetNotReadable, NodeChanged
from apps.fleet.limits import REASON_LENGTH_MAX
from apps.fleet.models import Cluster, FailureDomain, Node, NodeClass
from apps.fleet.selectors.imports import fleet_held
from apps.fleet.selectors.places import domains_by_id
from apps.fleet.services.announcing import Happening, happenings_note

# rows that one statement of an import writes
ROWS_PER_STATEMENT: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """A fleet that is to come in."""

    # whose nodes they become
    tenant_id: UUID
    # one of domain.imports.FORMATS
    form: str
    # what the other system wrote
    text: str
    # name of the cluster, where the text does not say it; made if there is none
    cluster: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import does, or has done."""

    # name of the cluster
    cluster: str
    # everything that changes
    plan: ImportPlan
    # whether it was done
    applied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What names in a text stand for."""

    # id of a class by its name
    classes: Mapping[str, UUID]
    # id of a domain by its kind and name
    domains: Mapping[Reference, UUID]
    # id of the rack of a domain by the domain's id
    racks: Mapping[UUID, UUID]

    def rack_of(self, text: ReadNode) -> UUID | None:
        """Return the rack that a node stands in, or that another domain of it stands in."""
        placed = (self.domains[reference] for reference in text.domains)
        return next((self.racks[each] for each in placed if each in self.racks), None)


@transaction.atomic
def fleet_import(*, given: Import, dry_run: bool, actor: Actor, at: datetime) -> Imported:
    """Bring a fleet in, all of it or nothing; a second time changes nothing.

    Args:
        given: what, and where.
        dry_run: only say what would change.
        actor: who wants it.
        at: when.

    Raises:
        FleetNotReadable: if the text does not describe a fleet, or no cluster is named.
        NodeChanged: if somebody else made one of the nodes at the same time.
    """
    cluster_name, plan = _read(given)
    if dry_run:
        return Imported(cluster=cluster_name, plan=plan, applied=False)
    if plan.changes:
        try:
            with transaction.atomic():
                _write(plan=plan, cluster_name=cluster_name, given=given, actor=actor, at=at)
        except IntegrityError as error:
            raise NodeChanged("Somebody else changes this cluster: import it again.") from error
        audit_record(
            at=at,
            actor=actor,
            tenant_id=given.tenant_id,
            action="fleet.import",
            subject=f"cluster:{cluster_name}",
            detail={
                "format": given.form,
                "added": [node.name for node in plan.nodes],
                "changed": [node.name for node in plan.changed],
            },
        )
    return Imported(cluster=cluster_name, plan=plan, applied=True)


def _read(given: Import) -> tuple[str, ImportPlan]:
    """Return the name of the cluster, and what would change in it."""
    try:
        fleet = fleet_read(form=given.form, text=given.text)
        cluster_name = fleet.cluster or given.cluster
        if not cluster_name:
            raise FleetNotReadable(
                "This format does not name the cluster: say which one it is.",
                fields={"cluster": ["Needed for this format."]},
            )
        held = fleet_held(cluster_name=cluster_name, tenant_id=given.tenant_id)
        return cluster_name, import_plan(fleet=fleet, held=held)
    except FleetUnreadable as error:
        raise FleetNotReadable(str(error), fields={"text": [str(error)]}) from error


def _write(
    *, plan: ImportPlan, cluster_name: str, given: Import, actor: Actor, at: datetime
) -> None:
    """Write what changes; as many queries for a thousand nodes as for one."""
    cluster, _ = Cluster.objects.get_or_create(name=cluster_name, defaults={"created_at": at})
    NodeClass.objects.bulk_create(
        NodeClass(
            created_at=at,
            name=each.name,
            vendor=each.vendor,
            accelerators=each.accelerators,
            memory_gib=each.memory_gib,
            tdp_w=each.tdp_w,
        )
        for each in plan.classes
    )
    names = Names(
        classes=dict(NodeClass.objects.values_list("name", "id")),
        domains=_write_domains(plan=plan, cluster=cluster, at=at),
        racks=_racks(cluster),
    )
    new = [_new_node(node, given=given, cluster=cluster, names=names, at=at) for node in plan.nodes]
    Node.objects.bulk_create(new, batch_size=ROWS_PER_STATEMENT)
    changed = list(
        Node.objects.select_for_update(no_key=True)
        .filter(cluster=cluster, tenant_id=given.tenant_id)
        .filter(name__in=[node.name for node in plan.changed])
        .order_by("id")
    )
    texts = {node.name: node for node in (*plan.nodes, *plan.changed)}
    for row in changed:
        _change_node(row, text=texts[row.name], names=names)
    Node.objects.bulk_update(
        changed,
        ["node_class", "address", "is_spare", "firmware", "rack"],
        batch_size=ROWS_PER_STATEMENT,
    )
    _place(rows=[*new, *changed], texts=texts, names=names)
    happenings_note(happenings=_happenings(plan=plan, rows=[*new, *changed]), actor=actor, at=at)


def _racks(cluster: Cluster) -> Mapping[UUID, UUID]:
    """Return the rack of each domain that stands in one, or is one."""
    domains = domains_by_id(cluster_ids=[cluster.id])
    return {
        domain_id: above
        for domain_id in domains
        for above in reversed(domains_above(domains=domains, domain_id=domain_id))
        if domains[above].kind == "rack"
    }


def _write_domains(*, plan: ImportPlan, cluster: Cluster, at: datetime) -> Mapping[Reference, UUID]:
    """Write the new domains; return the ids of all, by kind and name."""
    ids: dict[Reference, UUID] = {
        (kind, name): domain_id
        for kind, name, domain_id in FailureDomain.objects.filter(cluster=cluster).values_list(
            "kind", "name", "id"
        )
    }
    rows = []
    # those above come first
    for each in plan.domains:
        row = FailureDomain(
            created_at=at,
            cluster=cluster,
            kind=each.kind,
            name=each.name,
            parent_id=None if each.parent is None else ids[each.parent],
        )
        ids[each.kind, each.name] = row.id
        rows.append(row)
    FailureDomain.objects.bulk_create(rows)
    return ids


def _new_node(
    text: ReadNode, *, given: Import, cluster: Cluster, names: Names, at: datetime
) -> Node:
    """Return a node that is new."""
    return Node(
        created_at=at,
        tenant_id=given.tenant_id,
        cluster=cluster,
        name=text.name,
        node_class_id=names.classes[text.node_class],
        rack_id=names.rack_of(text),
        address=text.address,
        state=(text.state or NodeState.ACTIVE).value,
        state_reason=text.state_reason[:REASON_LENGTH_MAX],
        state_at=at,
        is_spare=bool(text.is_spare),
        firmware=text.firmware,
    )


def _change_node(row: Node, *, text: ReadNode, names: Names) -> None:
    """Take over what a text says about a node that is there; what it leaves out stays."""
    row.node_class_id = names.classes[text.node_class]
    row.address = text.address or row.address
    if text.is_spare is not None and row.reserved_for is None:
        row.is_spare = text.is_spare
    if text.domains:
        row.rack_id = names.rack_of(text)
    row.firmware = {**row.firmware, **text.firmware}


def _place(*, rows: list[Node], texts: Mapping[str, ReadNode], names: Names) -> None:
    """Put nodes where a text says that they stand; one of which it says nothing stays."""
    through = Node.domains.through
    placed = [row for row in rows if texts[row.name].domains]
    through.objects.filter(node__in=placed).delete()
    through.objects.bulk_create(
        (
            through(node_id=row.id, failuredomain_id=names.domains[reference])
            for row in placed
            for reference in dict.fromkeys(texts[row.name].domains)
        ),
        batch_size=ROWS_PER_STATEMENT,
    )


def _happenings(*, plan: ImportPlan, rows: Iterable[Node]) -> list[Happening]:
    """Return what browsers and histories are told."""
    fields = {change.name: change.fields for change in plan.changes if change.what == "node"}
    return [
        Happening(
            node_id=row.id,
            tenant_id=row.tenant_id,
            kind="imported",
            before="",
            after="",
            reason="; ".join(f"{f.name}: {f.after}" for f in fields.get(row.name, ())),
            fields={"name": row.name, "state": row.state, "is_spare": row.is_spare},
        )
        for row in rows
    ]
