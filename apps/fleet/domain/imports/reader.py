"""The door to every reader: picks it by the name of the format, and tidies what it has read."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from apps.fleet.domain.imports.kubernetes import kubernetes_read
from apps.fleet.domain.imports.own import yaml_read
from apps.fleet.domain.imports.slurm import slurm_read
from apps.fleet.domain.imports.tables import csv_read
from apps.fleet.domain.imports.values import (
    LEVELS_MAX,
    REASON_LENGTH_MAX,
    TEXT_NBYTES_MAX,
    Fleet,
    FleetUnreadable,
    ReadNode,
    text_tidied,
)

_READERS: Final[Mapping[str, Callable[[str], Fleet]]] = MappingProxyType(
    {
        "yaml": yaml_read,
        "csv": csv_read,
        "scontrol": slurm_read,
        "kubectl": kubernetes_read,
    }
)

# names that a message lists
NAMES_SHOWN_MAX: Final = 5
# names of what can be read
FORMATS: Final = tuple(_READERS)


def fleet_read(*, form: str, text: str) -> Fleet:
    """Return the fleet that a text describes; ``form`` is one of `FORMATS`.

    Raises:
        FleetUnreadable: if the text is not of that form; says in which line, where that is known.
    """
    if len(text.encode()) > TEXT_NBYTES_MAX:
        raise FleetUnreadable(f"more than {TEXT_NBYTES_MAX >> 20} MiB: import it in parts")
    fleet = _READERS[form](text)
    counts = Counter(node.name for node in fleet.nodes)
    twice = sorted(name for name, count in counts.items() if count > 1)
    if twice:
        raise FleetUnreadable(f"named more than once: {', '.join(twice[:NAMES_SHOWN_MAX])}")
    return replace(
        fleet,
        classes=tuple(replace(each, vendor=text_tidied(each.vendor)) for each in fleet.classes),
        nodes=tuple(_tidied(node) for node in fleet.nodes),
        notes=tuple(text_tidied(note, length_max=REASON_LENGTH_MAX) for note in fleet.notes),
    )


def _tidied(node: ReadNode) -> ReadNode:
    """Return a node whose free texts can be kept and shown."""
    levels = list(node.firmware.items())[:LEVELS_MAX]
    return replace(
        node,
        address=text_tidied(node.address),
        state_reason=text_tidied(node.state_reason, length_max=REASON_LENGTH_MAX),
        firmware={text_tidied(name): text_tidied(level) for name, level in levels},
    )
