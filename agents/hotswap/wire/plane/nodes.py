"""What a node is and how it feels; see `hotswap.wire.plane`. What is not known is None."""

from typing import Annotated, Literal

import msgspec

from hotswap.wire.plane.base import PlaneValue
from hotswap.wire.plane.limits import Name, Natural

#: Where a value comes from: an instrument of the node, or a scenario that a person wrote.
Source = Literal["measured", "simulated"]


class Device(PlaneValue, frozen=True, kw_only=True):
    """One accelerator."""

    # "gpu"
    kind: Name
    index: Natural
    model: Name | None = None
    uuid: Name | None = None
    memory_nbytes: Natural | None = None


class Inventory(PlaneValue, frozen=True, kw_only=True):
    """What the node consists of."""

    hostname: Name
    # processors that processes of the agent may use
    cpus: Natural | None = None
    memory_nbytes: Natural | None = None
    # None: nothing on the node can tell; (): it has none
    devices: tuple[Device, ...] | None = None
    # kernel and machine, for people
    platform: Name | None = None
    # version of hotswap
    version: Name | None = None


class Signal(PlaneValue, frozen=True, kw_only=True):
    """One value of one instrument at the time of the report."""

    # e.g. ``cpu_load``, ``gpu_0_temperature``
    name: Name
    # None: it could not be read this time
    value: float | None
    # e.g. ``celsius``, ``ratio``, ``count``
    unit: Annotated[str, msgspec.Meta(max_length=40)]
    source: Source = "measured"


class NodeReport(PlaneValue, frozen=True, kw_only=True):
    """The node as its agent sees it."""

    inventory: Inventory
    signals: Annotated[tuple[Signal, ...], msgspec.Meta(max_length=1_000)] = ()
    # why nothing new is started here; None: the node is not in quarantine
    quarantine: str | None = None
