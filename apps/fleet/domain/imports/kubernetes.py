"""A fleet as ``kubectl get nodes -o json`` prints it."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any, Final

from apps.fleet.domain.imports.values import (
    NODES_MAX,
    WHOLE_MAX,
    Fleet,
    FleetUnreadable,
    ReadClass,
    ReadDomain,
    ReadNode,
    name_checked,
    whole_read,
)
from apps.fleet.domain.states import NodeState

# extended resources that count accelerators, and their makers
ACCELERATORS: Final = {
    "nvidia.com/gpu": "nvidia",
    "amd.com/gpu": "amd",
    "habana.ai/gaudi": "intel",
    "gpu.intel.com/i915": "intel",
    "gpu.intel.com/xe": "intel",
    "google.com/tpu": "google",
    "aws.amazon.com/neuron": "aws",
}
# labels that say where a node stands: kind of domain by label
_RACK: Final = ("topology.kubernetes.io/rack", "topology.rook.io/rack")
_POWER: Final = ("topology.kubernetes.io/power",)
# from the lowest switch up
_SWITCHES: Final = (
    "network.topology.nvidia.com/leaf",
    "network.topology.nvidia.com/spine",
    "network.topology.nvidia.com/core",
)
_MODEL: Final = ("nvidia.com/gpu.product", "amd.com/gpu.product-name", "gpu.intel.com/product")
_INSTANCE: Final = "node.kubernetes.io/instance-type"
_CONTROL_PLANE: Final = (
    "node-role.kubernetes.io/control-plane",
    "node-role.kubernetes.io/master",
)
_LEVELS: Final = ("kernelVersion", "osImage", "kubeletVersion", "containerRuntimeVersion")
_QUANTITY: Final = re.compile(r"^([0-9]{1,20}(?:\.[0-9]{1,20})?)([A-Za-z]{0,2})$")
_FACTORS: Final = {
    "": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50,
}  # fmt: skip


def kubernetes_read(text: str) -> Fleet:
    """Return the fleet that a list of Kubernetes nodes describes.

    Raises:
        FleetUnreadable: if it is no JSON, or no list of nodes.
    """
    nodes, notes = [], []
    classes: dict[str, ReadClass] = {}
    domains: dict[tuple[str, str], ReadDomain] = {}
    for item in _items(text):
        labels = _mapping(_mapping(item, "metadata"), "labels")
        name = name_checked(str(_mapping(item, "metadata").get("name") or ""), what="metadata.name")
        if any(label in labels for label in _CONTROL_PLANE):
            notes.append(f"{name}: left out, it belongs to the control plane of Kubernetes")
            continue
        kind = _class(item, labels=labels)
        places = list(_domains(labels))
        classes[kind.name] = kind
        domains |= {(place.kind, place.name): place for place in places}
        state, reason = _state(item)
        nodes.append(
            ReadNode(
                name=name,
                node_class=kind.name,
                address=_address(item),
                domains=_lowest(places),
                state=state,
                state_reason=reason,
                firmware=_firmware(item, labels=labels),
            )
        )
    return Fleet(
        classes=tuple(classes.values()),
        domains=tuple(domains.values()),
        nodes=tuple(nodes),
        notes=tuple(notes),
    )


def _items(text: str) -> list[Mapping[str, Any]]:
    """Return the nodes of a list, or the one node."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise FleetUnreadable(error.msg, line=error.lineno) from error
    except RecursionError as error:
        raise FleetUnreadable("nested too deeply") from error
    if not isinstance(document, dict):
        raise FleetUnreadable("no object: paste `kubectl get nodes -o json`")
    items = [document] if document.get("kind") == "Node" else document.get("items")
    if not isinstance(items, list) or not items:
        raise FleetUnreadable("no list of nodes: paste `kubectl get nodes -o json`")
    if len(items) > NODES_MAX:
        raise FleetUnreadable(f"more than {NODES_MAX} nodes: import them in parts")
    if any(not isinstance(item, dict) or item.get("kind") != "Node" for item in items):
        raise FleetUnreadable("something in the list is no node")
    return items


def _mapping(held: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = held.get(key)
    return value if isinstance(value, dict) else {}


def _class(item: Mapping[str, Any], *, labels: Mapping[str, Any]) -> ReadClass:
    """Return the class: named after the instance type, else after the accelerators."""
    capacity = _mapping(_mapping(item, "status"), "capacity")
    counts = {
        resource: number
        for resource in ACCELERATORS
        if (number := whole_read(str(capacity.get(resource, "")))) is not None
    }
    count = min(sum(counts.values()), WHOLE_MAX)
    vendor = next((ACCELERATORS[name] for name, number in counts.items() if number), "")
    model = next((str(labels[label]) for label in _MODEL if labels.get(label)), "")
    memory_nbytes = _nbytes(str(capacity.get("memory", "")))
    what = f"{model or vendor}-{count}" if count else "cpu"
    return ReadClass(
        name=name_checked(str(labels.get(_INSTANCE) or what), what="class"),
        vendor=vendor,
        accelerators=count,
        memory_gib=None if memory_nbytes is None else min(memory_nbytes >> 30, WHOLE_MAX),
    )


def _nbytes(quantity: str) -> int | None:
    """Return bytes of a quantity such as 2113Mi; None: not said, or written as never seen."""
    found = _QUANTITY.match(quantity)
    if not found or found[2] not in _FACTORS:
        return None
    return int(float(found[1]) * _FACTORS[found[2]])


def _domains(labels: Mapping[str, Any]) -> Iterator[ReadDomain]:
    """Yield where a node stands; switches stand in one another."""
    for kind, names in (("rack", _RACK), ("power", _POWER)):
        found = next((str(labels[name]) for name in names if labels.get(name)), None)
        if found is not None:
            yield ReadDomain(kind=kind, name=name_checked(found, what=kind))
    chain = [str(labels[name]) for name in _SWITCHES if labels.get(name)]
    for name, above in zip_longest(chain, chain[1:]):
        yield ReadDomain(
            kind="switch",
            name=name_checked(name, what="switch"),
            parent=None if above is None else ("switch", above),
        )


def _lowest(places: list[ReadDomain]) -> tuple[tuple[str, str], ...]:
    """Return the domains that no other one of them stands in: those above follow by themselves."""
    above = {place.parent for place in places}
    return tuple((p.kind, p.name) for p in places if (p.kind, p.name) not in above)


def _state(item: Mapping[str, Any]) -> tuple[NodeState, str]:
    """Return our state: a node that is not known to be ready is quarantined."""
    conditions = _mapping(item, "status").get("conditions")
    ready = next(
        (
            each
            for each in (conditions if isinstance(conditions, list) else [])
            if isinstance(each, dict) and each.get("type") == "Ready"
        ),
        {},
    )
    if ready.get("status") != "True":
        return NodeState.QUARANTINED, str(ready.get("message") or "Kubernetes: not ready")
    if _mapping(item, "spec").get("unschedulable"):
        return NodeState.DRAINING, "Kubernetes: cordoned"
    return NodeState.ACTIVE, ""


def _address(item: Mapping[str, Any]) -> str:
    addresses = _mapping(item, "status").get("addresses")
    found = {
        str(each.get("type")): str(each.get("address"))
        for each in (addresses if isinstance(addresses, list) else [])
        if isinstance(each, dict)
    }
    return found.get("InternalIP") or found.get("Hostname") or ""


def _firmware(item: Mapping[str, Any], *, labels: Mapping[str, Any]) -> dict[str, str]:
    info = _mapping(_mapping(item, "status"), "nodeInfo")
    levels = {name: str(info[name]) for name in _LEVELS if info.get(name)}
    driver = labels.get("nvidia.com/cuda.driver-version.full")
    return levels | ({"driver": str(driver)} if driver else {})
