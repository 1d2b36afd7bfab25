"""``backend="hotswap"``: a process group that stays while the members behind its ranks change.

The model, the device mesh, FSDP and DDP hold this object. Which connections it uses is set by
``bind``: another set at a step boundary, an echo while a standby builds a model in advance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import torch.distributed as dist

from hotswap.errors import CollectiveUnsupported
from hotswap.runtime.group.echo import EchoGroup
from hotswap.runtime.group.names import CARRIED, REFUSED

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    import torch
    from torch._C._distributed_c10d import Work

    from hotswap.runtime.group.spec import GroupSpec

#: Name under which ``torch.distributed`` knows the backend.
BACKEND = "hotswap"


class Carrier(Protocol):
    """What performs collectives: a ``BoundGroup`` or an ``EchoGroup``."""

    def carry(self, collective: str, *arguments: Any, **options: Any) -> Work:  # noqa: ANN401 - torch's arguments pass through
        """Start ``collective`` and return its handle."""
        ...


class HotswapProcessGroup(dist.ProcessGroup):
    """A torch process group whose connections can be exchanged at a step boundary."""

    def __init__(self, spec: GroupSpec) -> None:
        """Create the group; until ``bind`` it echoes."""
        # The stub lacks the constructor for groups that have no store.
        super().__init__(spec.rank, spec.size)  # type: ignore[call-arg]
        self.spec = spec
        self._name = spec.name
        self._description = ""
        self._carrier: Carrier = EchoGroup(rank=spec.rank, size=spec.size)

    def bind(self, carrier: Carrier) -> None:
        """Use ``carrier`` from the next collective on."""
        self._carrier = carrier

    def carry(self, collective: str, *arguments: Any, **options: Any) -> Work:  # noqa: ANN401
        """Start a collective by its name."""
        return self._carrier.carry(collective, *arguments, **options)

    def getBackendName(self) -> str:  # noqa: N802 - torch's name
        """Return the backend's name."""
        return BACKEND

    def getGroupName(self) -> str:  # noqa: N802 - torch's name
        """Return the name by which functional collectives find the group."""
        return self._name

    def setGroupName(self, name: str) -> None:  # noqa: N802 - torch's name
        """Take the name that torch registers the group under."""
        self._name = name

    def getGroupDesc(self) -> str:  # noqa: N802 - torch's name
        """Return what torch calls the group's description."""
        return self._description

    def setGroupDesc(self, description: str) -> None:  # noqa: N802 - torch's name
        """Take the description."""
        self._description = description

    def set_timeout(self, timeout: timedelta) -> None:
        """Accept torch's call: the limit is ``collective_s``, the same on every member."""

    def abort(self) -> None:
        """Do nothing: epochs are left by the runtime, not by the script."""

    def shutdown(self) -> None:
        """Do nothing: the runtime frees the connections when the job ends."""

    def _start_coalescing(self, device: torch.device) -> None:
        """Do nothing: batched operations are carried one by one, in order."""

    def _end_coalescing(self, device: torch.device) -> Work:  # noqa: ARG002 - torch's signature
        """Return a finished handle: each operation had one of its own."""
        return EchoGroup(rank=0, size=1).carry("barrier")

    def _set_sequence_number_for_group(self) -> None:
        """Do nothing: order is checked by the vote."""


def _carrying(collective: str) -> Callable[..., Work]:
    def method(self: HotswapProcessGroup, *arguments: Any, **options: Any) -> Work:  # noqa: ANN401
        return self.carry(collective, *arguments, **options)

    method.__name__ = collective
    method.__doc__ = f"Carry {collective} over the members of the epoch in force."
    return method


def _refusing(collective: str, reason: str) -> Callable[..., Work]:
    def method(_self: HotswapProcessGroup, *_: object, **__: object) -> Work:
        raise CollectiveUnsupported(collective, reason)

    method.__name__ = collective
    method.__doc__ = f"Refuse {collective}: {reason}."
    return method


for _name in CARRIED:
    setattr(HotswapProcessGroup, _name, _carrying(_name))
for _name, _reason in REFUSED.items():
    setattr(HotswapProcessGroup, _name, _refusing(_name, _reason))
