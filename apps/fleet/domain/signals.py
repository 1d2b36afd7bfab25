"""What a node reports: signals as they are sent, and readings as they are kept."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class Source(StrEnum):
    """Where a figure comes from; a simulated one is shown as such wherever it appears."""

    MEASURED = "measured"
    SIMULATED = "simulated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One signal of a report, as the node sent it."""

    # name of the signal, unit included
    name: str
    # None: the node could not read it
    value: float | None
    # unit of the value
    unit: str
    # measured or simulated
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One signal of a report, as it is kept: with the figure that is judged."""

    # name of the signal
    name: str
    # the value that was sent
    value: float | None
    # unit of the value
    unit: str
    # measured or simulated
    source: Source
    # what is judged: the value of a gauge, the increase per minute of a counter
    figure: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenDevice:
    """An accelerator that a node sees."""

    # what it is, such as gpu
    kind: str
    # its number on the node
    index: int
    # empty if not known
    model: str = ""
    uuid: str = ""
    # None if not known
    memory_nbytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """What a node consists of, as it sees itself."""

    # accelerators; None: nothing on the node can tell
    devices: tuple[SeenDevice, ...] | None = None
    # levels of firmware and software, by name
    firmware: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One report of one node."""

    # the node, as this control plane knows it
    node_id: UUID
    # names one run of the node's agent; a new one begins at sequence 0 again
    boot: str
    # grows by one with each report of a boot
    sequence: int
    # when the node sent it, by the node's clock
    at: datetime
    # what it read
    signals: tuple[Signal, ...]
    # what the node consists of; None: it did not say
    inventory: Inventory | None = None
