"""The holders of a rank's small state: optimizer groups, scheduler, scaler and extra objects."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final, cast

import torch
from torch import Tensor
from torch.amp import GradScaler
from torch.distributed.tensor import DTensor
from torch.optim import Optimizer

from hotswap.errors import StateMismatch
from hotswap.limits import Limits
from hotswap.runtime.capsule.scaler import prepare_scaler
from hotswap.runtime.capsule.small import decode_state, encode_state
from hotswap.runtime.capsule.stateful import Scheduler, Stateful
from hotswap.runtime.capsule.tensors import local, sharded_like

# Parameters are units; their names are the model's.
_NOT_STATE: Final = ("params", "param_names")


class Holders:
    """Takes the small state from its holders as one value, and gives it back to them."""

    def __init__(
        self,
        *,
        optimizer: Optimizer,
        scheduler: Scheduler | None,
        scaler: GradScaler | None,
        extra: Mapping[str, Stateful],
        limits: Limits,
    ) -> None:
        """Refer to the objects; nothing is copied."""
        self._optimizer = optimizer
        self._scheduler = scheduler
        self._scaler = scaler
        self._extra = dict(extra)
        self._limits = limits

    def encode(self) -> tuple[bytes, list[Tensor]]:
        """Return the small state of now as a blob, and tensors that share the live memory.

        Raises `StateNotEncodable`, with the path, for a value that is neither plain nor a tensor.
        """
        return encode_state(self._collect(), limits=self._limits)

    def decode(self, blob: bytes, tensors: Sequence[Tensor]) -> dict[str, Any]:
        """Return the small state in ``blob`` for `restore`, having seen that it fits the holders.

        Raises:
            StateMalformed: the bytes are not a small state.
            StateMismatch: it is the state of other holders than these.

        """
        state = decode_state(blob, tensors, limits=self._limits)
        mine = self._collect()
        if _outline(state) != _outline(mine):
            names = sorted(_outline(state) ^ _outline(mine))
            message = (
                f"the owner and this process do not hold the same of {', '.join(names)}: protect "
                "the same scheduler, scaler and extra objects, and build the same groups"
            )
            raise StateMismatch(message, tensors=names)
        return cast("dict[str, Any]", state)  # an equal outline is that of a dictionary

    def restore(self, state: dict[str, Any]) -> None:
        """Give what `decode` returned to the holders; tensors are copied."""
        mine = self._collect()
        for key, holder in self._stateful().items():
            if state[key]:
                holder.load_state_dict(_conformed(state[key], mine[key]))
        for name, holder in self._extra.items():
            holder.load_state_dict(_conformed(state["extra"][name], mine["extra"][name]))
        if self._scaler is not None:
            prepare_scaler(self._scaler, self._optimizer)
        # Last, because loading a scheduler may set learning rates.
        for live, group in zip(self._optimizer.param_groups, state["groups"], strict=True):
            _restore_group(live, group)

    def _stateful(self) -> dict[str, Stateful]:
        named: dict[str, Stateful | None] = {"scheduler": self._scheduler, "scaler": self._scaler}
        return {name: holder for name, holder in named.items() if holder is not None}

    def _collect(self) -> dict[str, Any]:
        groups = [
            {key: value for key, value in group.items() if key not in _NOT_STATE}
            for group in self._optimizer.param_groups
        ]
        state: dict[str, Any] = {"groups": groups}
        state.update({name: holder.state_dict() for name, holder in self._stateful().items()})
        state["extra"] = {name: holder.state_dict() for name, holder in self._extra.items()}
        return state


def _outline(state: object) -> set[str]:
    """Return what holders a small state is of; empty for what is none."""
    if not isinstance(state, dict) or not isinstance(state.get("groups"), list):
        return set()
    extra = state.get("extra")
    names = {f"extra.{name}" for name in extra} if isinstance(extra, dict) else set()
    names |= {f"groups[{index}]" for index in range(len(state["groups"]))}
    return names | {name for name in state if name not in ("extra", "groups")}


def _restore_group(live: dict[str, Any], group: dict[str, Any]) -> None:
    for key, value in group.items():
        held = live.get(key)
        if isinstance(held, Tensor) and isinstance(value, Tensor):
            with torch.no_grad():
                held.copy_(value)
        else:
            live[key] = _conformed(value, held)


def _conformed(value: Any, template: object) -> Any:  # noqa: ANN401 - the value, whatever it is
    """Return ``value`` with its tensors copied to where, and sharded as, those of ``template``."""
    if isinstance(value, Tensor):
        if isinstance(template, DTensor):
            shard = value.to(local(template).device, copy=True)
            return sharded_like(template, shard=shard)
        device = template.device if isinstance(template, Tensor) else value.device
        return value.to(device, copy=True)
    if isinstance(value, dict):
        by_key = template if isinstance(template, dict) else {}
        for key, item in value.items():
            value[key] = _conformed(item, by_key.get(key))
        return value
    if type(value) in (list, tuple):
        by_position = list(template) if isinstance(template, list | tuple) else []
        pairs = zip_longest(value, by_position[: len(value)])
        return type(value)(_conformed(item, other) for item, other in pairs)
    return value
