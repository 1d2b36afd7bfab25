"""A fleet in YAML: the form that says everything.

::

    cluster: alder
    classes:
      - {name: hgx-h100, vendor: nvidia, accelerators: 8, memory_gib: 2048, tdp_w: 700}
    domains:
      - {kind: power, name: feed-a}
      - {kind: rack, name: r1, parent: power/feed-a}
    nodes:
      - {name: n1, class: hgx-h100, address: 10.0.0.1, domains: [rack/r1], spare: false}
"""

from collections.abc import Mapping
from typing import Any, Final

import yaml
from yaml import CSafeLoader as SafeLoader

from apps.fleet.domain.imports.values import (
    DOMAIN_KINDS,
    NODES_MAX,
    WHOLE_MAX,
    Fleet,
    FleetUnreadable,
    ReadClass,
    ReadDomain,
    ReadNode,
    name_checked,
)
from apps.fleet.domain.states import NodeState

# reading YAML takes long
YAML_LENGTH_MAX: Final = 4 << 20

_TOP: Final = frozenset({"cluster", "classes", "domains", "nodes"})
_CLASS: Final = frozenset({"name", "vendor", "accelerators", "memory_gib", "tdp_w"})
_DOMAIN: Final = frozenset({"kind", "name", "parent"})
_NODE: Final = frozenset(
    {"name", "class", "address", "domains", "spare", "state", "reason", "firmware"}
)


def yaml_read(text: str) -> Fleet:
    """Return the fleet that a YAML text describes.

    Raises:
        FleetUnreadable: if it is no YAML, or has a key that means nothing.
    """
    if len(text) > YAML_LENGTH_MAX:
        raise FleetUnreadable(f"more than {YAML_LENGTH_MAX >> 20} MiB: import it in parts")
    try:
        document = yaml.load(text, Loader=SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = None if mark is None else mark.line + 1
        raise FleetUnreadable(error.problem or "no YAML", line=line) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise FleetUnreadable("no YAML") from error
    top = _mapping(document, keys=_TOP, what="the document")
    nodes = _list(top, "nodes")
    if len(nodes) > NODES_MAX:
        raise FleetUnreadable(f"more than {NODES_MAX} nodes: import them in parts")
    cluster = _text(top, "cluster")
    return Fleet(
        cluster=name_checked(cluster, what="cluster") if cluster else None,
        classes=tuple(_class(each) for each in _list(top, "classes")),
        domains=tuple(_domain(each) for each in _list(top, "domains")),
        nodes=tuple(_node(each) for each in nodes),
    )


def _class(value: object) -> ReadClass:
    held = _mapping(value, keys=_CLASS, what="a class")
    name = name_checked(_text(held, "name"), what="name of a class")
    return ReadClass(
        name=name,
        vendor=_text(held, "vendor"),
        accelerators=_whole(held, "accelerators", of=name),
        memory_gib=_whole(held, "memory_gib", of=name),
        tdp_w=_whole(held, "tdp_w", of=name),
    )


def _domain(value: object) -> ReadDomain:
    held = _mapping(value, keys=_DOMAIN, what="a domain")
    kind, name = _reference(f"{_text(held, 'kind')}/{_text(held, 'name')}")
    parent = _text(held, "parent")
    return ReadDomain(kind=kind, name=name, parent=_reference(parent) if parent else None)


def _node(value: object) -> ReadNode:
    held = _mapping(value, keys=_NODE, what="a node")
    name = name_checked(_text(held, "name"), what="name of a node")
    spare = held.get("spare")
    if spare is not None and not isinstance(spare, bool):
        raise FleetUnreadable(f"{name}: spare is true or false")
    return ReadNode(
        name=name,
        node_class=name_checked(_text(held, "class"), what=f"{name}: class"),
        address=_text(held, "address"),
        domains=tuple(_reference(_scalar(each, "domains")) for each in _list(held, "domains")),
        is_spare=spare,
        state=state_read(_text(held, "state"), of=name),
        state_reason=_text(held, "reason"),
        firmware={
            _scalar(key, "firmware"): _scalar(level, "firmware")
            for key, level in _mapping(held.get("firmware") or {}, of=name).items()
        },
    )


def state_read(value: str, *, of: str, line: int | None = None) -> NodeState | None:
    """Return the state that a text names; None if it names none.

    Raises:
        FleetUnreadable: if there is no such state.
    """
    if not value:
        return None
    try:
        return NodeState(value)
    except ValueError as error:
        known = ", ".join(NodeState)
        raise FleetUnreadable(
            f"{of}: state {value[:20]!r} is none of {known}", line=line
        ) from error


def _reference(text: str) -> tuple[str, str]:
    """Return kind and name of ``rack/r1``."""
    kind, slash, name = text.partition("/")
    if kind not in DOMAIN_KINDS or not slash:
        known = ", ".join(DOMAIN_KINDS)
        raise FleetUnreadable(f"domain {text[:40]!r}: write KIND/NAME, with a kind of {known}")
    return kind, name_checked(name, what=f"name of a {kind}")


def _mapping(
    value: object, *, keys: frozenset[str] | None = None, what: str = "", of: str = ""
) -> Mapping[str, Any]:
    """Return a value that must be a mapping with no other keys than these."""
    if not isinstance(value, dict):
        raise FleetUnreadable(f"{what or of} must be a mapping")
    unknown = sorted(_scalar(key, "a key") for key in value if keys is not None and key not in keys)
    if unknown:
        raise FleetUnreadable(
            f"{what} has no key {unknown[0][:40]!r}; there are {', '.join(sorted(keys or ()))}"
        )
    return value


def _list(held: Mapping[str, Any], key: str) -> list[Any]:
    value = held.get(key) or []
    if not isinstance(value, list):
        raise FleetUnreadable(f"{key} must be a list")
    return value


def _whole(held: Mapping[str, Any], key: str, *, of: str) -> int | None:
    value = held.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= WHOLE_MAX:
        raise FleetUnreadable(f"{of}: {key} is a whole number from 0")
    return value


def _text(held: Mapping[str, Any], key: str) -> str:
    """Return a text; empty if it is not there."""
    value = held.get(key)
    return "" if value is None else _scalar(value, key)


def _scalar(value: object, what: str) -> str:
    """Return a text or a number as text; anything else could unfold to more than there is room."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FleetUnreadable(f"{what} must be text: put quotes around it")
    return str(value)
