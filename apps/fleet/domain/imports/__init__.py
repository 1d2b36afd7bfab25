"""Fleets as other systems write them down, read into one form."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from apps.fleet.domain.imports.kubernetes import kubernetes_read
from apps.fleet.domain.imports.own import yaml_read
from apps.fleet.domain.imports.slurm import slurm_read
from apps.fleet.domain.imports.tables import csv_read
from apps.fleet.domain.imports.values import (
    TEXT_NBYTES_MAX,
    Fleet,
    FleetUnreadable,
    ReadClass,
    ReadDomain,
    ReadNode,
)

__all__ = [
    "FORMATS",
    "TEXT_NBYTES_MAX",
    "Fleet",
    "FleetUnreadable",
    "ReadClass",
    "ReadDomain",
    "ReadNode",
    "fleet_read",
]

_READERS: Final[Mapping[str, Callable[[str], Fleet]]] = MappingProxyType(
    {
        "yaml": yaml_read,
        "csv": csv_read,
        "scontrol": slurm_read,
        "kubectl": kubernetes_read,
    }
)

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
    names = [node.name for node in fleet.nodes]
    twice = sorted({name for name in names if names.count(name) > 1}) if _repeats(names) else []
    if twice:
        raise FleetUnreadable(f"named more than once: {', '.join(twice[:5])}")
    return fleet


def _repeats(names: list[str]) -> bool:
    return len(set(names)) < len(names)
