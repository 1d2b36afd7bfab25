"""What an import would change: compared by name, so that a second one changes nothing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from apps.fleet.domain.imports.values import (
    Fleet,
    FleetUnreadable,
    ReadClass,
    ReadDomain,
    ReadNode,
)
from apps.fleet.domain.layout import DEPTH_MAX
from apps.fleet.domain.states import NodeState

Reference = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldNode:
    """A node as the fleet has it before an import."""

    # whether it belongs to the tenant that imports
    ours: bool
    # name of its class
    node_class: str
    # how it is reached
    address: str
    # kind and name of each failure domain that it was put in
    domains: frozenset[Reference]
    # whether it is kept as a spare
    is_spare: bool
    # whether something has been promised it
    is_reserved: bool
    # its state
    state: NodeState
    # levels of firmware and software
    firmware: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFleet:
    """A cluster as it is before an import."""

    # node classes by name
    classes: Mapping[str, ReadClass]
    # what each failure domain stands in, by kind and name
    domains: Mapping[Reference, Reference | None]
    # nodes by name
    nodes: Mapping[str, HeldNode]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One field that becomes another."""

    # name of the field
    name: str
    # before and after, as text
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that an import adds or changes."""

    # "add" or "change"
    action: str
    # "class", "domain" or "node"
    what: str
    # its name; of a domain KIND/NAME
    name: str
    # what becomes different; empty where it is added
    fields: tuple[FieldChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """Everything that an import does."""

    # classes, domains (those above first) and nodes that are new
    classes: tuple[ReadClass, ...]
    domains: tuple[ReadDomain, ...]
    nodes: tuple[ReadNode, ...]
    # nodes that are there and become different
    changed: tuple[ReadNode, ...]
    # the same for people
    changes: tuple[Change, ...]
    # nodes that stay as they are
    kept: int
    # what is not done, and why
    notes: tuple[str, ...]


def import_plan(*, fleet: Fleet, held: HeldFleet) -> ImportPlan:
    """Return what an import changes.

    Classes and failure domains are shared by all tenants: an import adds what is missing and leaves
    what is there. The state of a node that is there is never imported: whoever wants another one
    changes it, with a reason.

    Raises:
        FleetUnreadable: if failure domains stand in one another in a circle.
    """
    classes = tuple(_new_classes(fleet=fleet, held=held))
    domains = tuple(_new_domains(fleet=fleet, held=held))
    theirs = {name for name, node in held.nodes.items() if not node.ours}
    ours = [node for node in fleet.nodes if node.name not in theirs]
    new = tuple(node for node in ours if node.name not in held.nodes)
    differing = [
        (node, fields)
        for node in ours
        if node.name in held.nodes
        and (fields := tuple(_differences(node=node, held=held.nodes[node.name])))
    ]
    return ImportPlan(
        classes=classes,
        domains=domains,
        nodes=new,
        changed=tuple(node for node, _ in differing),
        changes=(
            *(Change(action="add", what="class", name=each.name) for each in classes),
            *(Change(action="add", what="domain", name=_shown(each)) for each in domains),
            *(Change(action="add", what="node", name=node.name) for node in new),
            *(
                Change(action="change", what="node", name=node.name, fields=fields)
                for node, fields in differing
            ),
        ),
        kept=len(ours) - len(new) - len(differing),
        notes=(*fleet.notes, *_notes(fleet=fleet, held=held)),
    )


def _new_classes(*, fleet: Fleet, held: HeldFleet) -> Iterator[ReadClass]:
    """Yield the classes that are missing; one that is only named has nothing but its name."""
    described = {each.name: each for each in fleet.classes}
    named = dict.fromkeys([*described, *(node.node_class for node in fleet.nodes)])
    for name in named:
        if name not in held.classes:
            yield described.get(name) or ReadClass(name=name)


def _new_domains(*, fleet: Fleet, held: HeldFleet) -> Iterator[ReadDomain]:
    """Yield the domains that are missing, each after the one that it stands in."""
    described = {(each.kind, each.name): each for each in fleet.domains}
    named = [domain for node in fleet.nodes for domain in node.domains]
    done = set(held.domains)
    for reference in dict.fromkeys([*described, *named]):
        chain: list[ReadDomain] = []
        at: Reference | None = reference
        while at is not None and at not in done:
            domain = described.get(at) or ReadDomain(kind=at[0], name=at[1])
            if domain in chain or len(chain) >= DEPTH_MAX:
                raise FleetUnreadable(
                    f"domain {_shown(domain)} stands in itself, or more than {DEPTH_MAX} deep"
                )
            chain.append(domain)
            at = domain.parent
        yield from reversed(chain)
        done |= {(each.kind, each.name) for each in chain}


def _differences(*, node: ReadNode, held: HeldNode) -> Iterator[FieldChange]:
    """Yield what the text says otherwise; what it leaves out stays as it is."""
    pairs: list[tuple[str, str, str, bool]] = [
        ("class", held.node_class, node.node_class, True),
        ("address", held.address, node.address, bool(node.address)),
        (
            "domains",
            _listed(held.domains),
            _listed(frozenset(node.domains)),
            bool(node.domains),
        ),
        (
            "spare",
            _truth(held.is_spare),
            _truth(bool(node.is_spare)),
            node.is_spare is not None and not held.is_reserved,
        ),
        (
            "firmware",
            _levels(held.firmware),
            _levels({**held.firmware, **node.firmware}),
            bool(node.firmware),
        ),
    ]
    for name, before, after, said in pairs:
        if said and before != after:
            yield FieldChange(name=name, before=before, after=after)


def _notes(*, fleet: Fleet, held: HeldFleet) -> Iterator[str]:
    """Yield what the text asks for and an import does not do."""
    for kind in fleet.classes:
        if kind.name in held.classes and held.classes[kind.name] != kind and _says(kind):
            yield f"class {kind.name}: there already, left as it is"
    for domain in fleet.domains:
        reference = (domain.kind, domain.name)
        if reference in held.domains and domain.parent not in {None, held.domains[reference]}:
            yield f"domain {_shown(domain)}: there already, left where it is"
    for node in fleet.nodes:
        before = held.nodes.get(node.name)
        if before is None:
            continue
        if not before.ours:
            yield f"{node.name}: left out, the name is taken in this cluster"
            continue
        if node.state not in {None, before.state}:
            yield f"{node.name}: stays {before.state.value}, the text says {node.state}"
        if before.is_reserved and node.is_spare is False:
            yield f"{node.name}: stays a spare, it is reserved"


def _says(kind: ReadClass) -> bool:
    """Whether a text says anything about a class but its name."""
    return kind != ReadClass(name=kind.name)


def _shown(domain: ReadDomain) -> str:
    return f"{domain.kind}/{domain.name}"


def _listed(domains: frozenset[Reference]) -> str:
    return ", ".join(sorted(f"{kind}/{name}" for kind, name in domains))


def _truth(value: bool) -> str:  # noqa: FBT001 - there is nothing else that it could mean
    return "yes" if value else "no"


def _levels(firmware: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {level}" for name, level in sorted(firmware.items()))
