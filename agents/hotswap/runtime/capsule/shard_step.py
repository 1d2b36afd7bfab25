"""A step of the script's optimizer over this rank's shards, at the price of plain tensors.

An operator on a distributed tensor is resolved in Python, every time, and an optimizer calls a
dozen of them per parameter and step. An elementwise one computes the same bits on the shards
alone, as mirrors do. So it sees the shards while it steps, and holds afterwards what it would
hold: its parameters, and state that is distributed as they are.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.distributed.tensor import DTensor
from torch.optim import Optimizer

from hotswap.runtime.capsule.optimizers import is_builtin, optimizer_spec_of
from hotswap.runtime.capsule.tensors import local, sharded_like


class ShardStep:
    """The step of one optimizer, whose parameters and flags stay what they are."""

    def __init__(self, optimizer: Optimizer) -> None:
        """Find out whether there are shards to step over.

        An optimizer that is not torch's own may know its parameters by other ways than its
        groups: it steps as it is.
        """
        self._optimizer = optimizer
        spec = optimizer_spec_of(optimizer)
        # what torch chooses by itself depends on whether parameters are distributed
        self._flags = spec.flags
        self._sharded = is_builtin(spec.kind) and any(map(_is_distributed, self._parameters()))

    def take(self) -> None:
        """Do what ``optimizer.step()`` does."""
        if self._sharded and all(map(_placed_as_its_gradient, self._parameters())):
            with self._shards_in_place():
                self._optimizer.step()
        else:
            self._optimizer.step()

    def _parameters(self) -> Iterator[Tensor]:
        for group in self._optimizer.param_groups:
            yield from group["params"]

    @contextmanager
    def _shards_in_place(self) -> Iterator[None]:
        optimizer = self._optimizer
        groups, kept = optimizer.param_groups, [dict(each) for each in optimizer.param_groups]
        state = optimizer.state
        lent = [[_Shard.of(each, state=state) for each in group["params"]] for group in groups]
        for group, shards, flags in zip(groups, lent, self._flags, strict=True):
            group |= {**flags, "params": [shard.plain for shard in shards]}
        optimizer.state = defaultdict(
            dict, {each.plain: dict(each.state) for shards in lent for each in shards if each.state}
        )
        try:
            yield
        finally:
            stepped, optimizer.state = optimizer.state, state
            for group, before, flags in zip(groups, kept, self._flags, strict=True):
                group |= {key: before[key] for key in ("params", *flags)}
            _take_back(lent, stepped, state=state)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shard:
    """A parameter, and what stands in for it during a step."""

    parameter: Tensor
    # with this rank's part of the gradient
    plain: Tensor
    # the optimizer's state of the parameter, as shards
    state: dict[str, Any]

    @classmethod
    def of(cls, parameter: Tensor, *, state: dict[Tensor, Any]) -> "_Shard":
        held = state.get(parameter, {})
        if not isinstance(parameter, DTensor):
            return cls(parameter=parameter, plain=parameter, state=held)
        plain = local(parameter)
        plain.grad = None if parameter.grad is None else local(parameter.grad)
        return cls(
            parameter=parameter,
            plain=plain,
            state={
                key: local(value) if isinstance(value, DTensor) else value
                for key, value in held.items()
            },
        )

    def as_held(self, value: object) -> object:
        """Return an entry of the state as the optimizer would hold it without the stand-in."""
        if not isinstance(self.parameter, DTensor) or not isinstance(value, Tensor):
            return value
        same = value.shape == self.plain.shape
        return sharded_like(self.parameter, shard=value) if same else value


def _take_back(
    lent: Sequence[Sequence[_Shard]],
    stepped: dict[Tensor, Any],
    *,
    state: dict[Tensor, Any],
) -> None:
    """Take over what the step created or replaced; what it wrote in place is there already."""
    for shard in (each for shards in lent for each in shards):
        made = {
            key: value
            for key, value in stepped.get(shard.plain, {}).items()
            if key not in shard.state or value is not shard.state[key]
        }
        if made:
            held = state.setdefault(shard.parameter, {})
            held |= {key: shard.as_held(value) for key, value in made.items()}


def _is_distributed(tensor: Tensor) -> bool:
    return isinstance(tensor, DTensor)


def _placed_as_its_gradient(parameter: Tensor) -> bool:
    gradient = parameter.grad
    if gradient is None:
        return True
    if isinstance(parameter, DTensor) and isinstance(gradient, DTensor):
        return parameter.placements == gradient.placements
    return not isinstance(parameter, DTensor) and not isinstance(gradient, DTensor)
