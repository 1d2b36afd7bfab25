"""A fleet as ``scontrol show node`` prints it, with or without ``-o``.

Lines of ``scontrol show topology`` may stand in the same text; they tell the switches.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from apps.fleet.domain.imports.hostlist import hostlist_expand
from apps.fleet.domain.imports.slurm_states import slurm_state
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

# fields whose value goes on to the end of the line, whatever is in it
_TO_THE_END: Final = frozenset({"Reason", "Comment", "Extra"})
_KEY: Final = re.compile(r"(?:^|\s)([A-Za-z][A-Za-z0-9_/:]*)=")
# what Slurm prints where it has nothing
_NOTHING: Final = frozenset({"", "(null)", "n/a", "N/A", "None", "none"})
_GRES: Final = re.compile(r"^gpu(?::([^:(]+))??(?::([0-9]+))?(?:\(.*\))?$")
_MIB_PER_GIB: Final = 1024
# length of a class's name before its memory
CLASS_LENGTH_MAX: Final = 100


def slurm_read(text: str) -> Fleet:
    """Return the fleet that Slurm's output describes.

    Raises:
        FleetUnreadable: if there is no node in it, or more than the limit.
    """
    records, switches = _records(text)
    if not records:
        raise FleetUnreadable("no line begins with NodeName=: paste `scontrol show node`")
    if len(records) > NODES_MAX:
        raise FleetUnreadable(f"more than {NODES_MAX} nodes: import them in parts")
    domains, switch_of = _switches(switches)
    nodes, classes, notes = [], {}, []
    for line, record in records:
        name = name_checked(record["NodeName"], what="NodeName", line=line)
        state = slurm_state(record.get("State", ""))
        if state is None:
            notes.append(f"{name}: left out, Slurm says {record.get('State')}")
            continue
        kind = _class(record)
        classes[kind.name] = kind
        nodes.append(
            ReadNode(
                name=name,
                node_class=kind.name,
                address=_held(record, "NodeAddr"),
                domains=(("switch", switch_of[name]),) if name in switch_of else (),
                state=state,
                state_reason=_held(record, "Reason"),
                firmware=_levels(record),
            )
        )
    return Fleet(
        classes=tuple(classes.values()), domains=domains, nodes=tuple(nodes), notes=tuple(notes)
    )


def _records(text: str) -> tuple[list[tuple[int, dict[str, str]]], list[dict[str, str]]]:
    """Return the nodes, each with its line, and the switches."""
    nodes: list[tuple[int, dict[str, str]]] = []
    switches: list[dict[str, str]] = []
    current: dict[str, str] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        fields = dict(_fields(line))
        if "NodeName" in fields:
            current = {}
            nodes.append((number, current))
        elif "SwitchName" in fields:
            current = {}
            switches.append(current)
        elif not line.startswith((" ", "\t")):
            # an empty line, a prompt, a message: what follows belongs to nobody
            current = None
        if current is not None:
            current |= fields
    return nodes, switches


def _fields(line: str) -> Iterator[tuple[str, str]]:
    """Yield names and values of a line; values may hold spaces."""
    at = 0
    while found := _KEY.search(line, at):
        name, start = found[1], found.end()
        after = None if name in _TO_THE_END else _KEY.search(line, start)
        at = len(line) if after is None else after.start()
        yield name, line[start:at].strip()


def _held(record: Mapping[str, str], name: str) -> str:
    """Return a field, empty where Slurm prints that it has nothing."""
    value = record.get(name, "")
    return "" if value in _NOTHING else value


def _class(record: Mapping[str, str]) -> ReadClass:
    """Return the class that a node's accelerators and memory make."""
    kinds = list(_accelerators(_held(record, "Gres")))
    count = min(sum(number for _, number in kinds), WHOLE_MAX)
    model = "+".join(dict.fromkeys(model for model, _ in kinds if model))
    memory = _held(record, "RealMemory")
    memory_mib = whole_read(memory)
    memory_gib = None if memory_mib is None else memory_mib // _MIB_PER_GIB
    what = f"{model or 'gpu'}-{count}" if count else "cpu"
    return ReadClass(
        name=what[:CLASS_LENGTH_MAX]
        if memory_gib is None
        else f"{what[:CLASS_LENGTH_MAX]}-{memory_gib}g",
        accelerators=count,
        memory_gib=memory_gib,
    )


def _accelerators(gres: str) -> Iterator[tuple[str, int]]:
    """Yield model and count of each ``gpu:MODEL:COUNT(S:0-1)``; a comma may stand in brackets."""
    for entry in re.split(r",(?![^(]*\))", gres):
        found = _GRES.match(entry.strip())
        if found:
            yield found[1] or "", whole_read(found[2] or "1") or 0


def _levels(record: Mapping[str, str]) -> dict[str, str]:
    levels = {"slurm": _held(record, "Version"), "os": _held(record, "OS")}
    return {name: level for name, level in levels.items() if level}


def _switches(
    records: list[dict[str, str]],
) -> tuple[tuple[ReadDomain, ...], dict[str, str]]:
    """Return the switches, each within the one above, and the lowest switch of each node."""
    above = {
        lower: record["SwitchName"]
        for record in records
        for lower in hostlist_expand(_held(record, "Switches"))
    }
    domains = tuple(
        ReadDomain(
            kind="switch",
            name=name_checked(record["SwitchName"], what="SwitchName"),
            parent=("switch", above[record["SwitchName"]])
            if record["SwitchName"] in above
            else None,
        )
        for record in records
    )
    # a switch further up lists the nodes below it too: the lowest level comes last and wins
    by_level = sorted(records, key=lambda record: -_level(record))
    switch_of = {
        node: record["SwitchName"]
        for record in by_level
        for node in hostlist_expand(_held(record, "Nodes"))
    }
    return domains, switch_of


def _level(record: Mapping[str, str]) -> int:
    return whole_read(record.get("Level", "")) or 0
