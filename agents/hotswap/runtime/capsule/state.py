"""Everything that a rank needs to go on, versioned together."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.amp import GradScaler
from torch.distributed.fsdp import FSDPModule
from torch.optim import Optimizer

from hotswap.errors import StateMismatch
from hotswap.limits import Limits
from hotswap.runtime.capsule.buffers import BufferWatch
from hotswap.runtime.capsule.foreseen import ForeseenLoad
from hotswap.runtime.capsule.holders import Holders
from hotswap.runtime.capsule.hyperparameters import Hyperparameters, hyperparameters_of
from hotswap.runtime.capsule.optimizers import OptimizerSpec, optimizer_spec_of
from hotswap.runtime.capsule.protect import check_protectable, check_unchanged
from hotswap.runtime.capsule.scaler import forget_verdict, unscale_and_check, update_scaler
from hotswap.runtime.capsule.shard_step import ShardStep
from hotswap.runtime.capsule.stateful import Scheduler, Stateful
from hotswap.runtime.capsule.tensors import local
from hotswap.runtime.capsule.unit_loading import (
    misfits,
    prepare_unit,
    state_devices,
    write_unit,
)
from hotswap.runtime.capsule.units import UnitSpec, units_of
from hotswap.runtime.capsule.writes import WriteWatch

#: Digests of named tensors, such as `hotswap.transfer.digest.tensor_digests`.
DigestFunction = Callable[[Mapping[str, Tensor]], Mapping[str, str]]


class RankState:
    """The state of a rank: parameters, optimizer, buffers, scheduler, scaler and extra objects.

    In a step, in this order: `begin_step`; the script's forward, backward and clipping;
    `check_unchanged`, `unscale_and_check`, then `gradients`, `hyperparameters`, `small_state` and
    ``buffers.changed()``, which together take a mirror from ``version`` to the next; then either
    `apply`, or `discard` and the step once more.

    What the script does between `begin_step` and `apply` must not change extra objects, except
    for values that the step sets anew each time. What accumulates (an average of the weights, a
    schedule that steps on a metric) belongs in ``after_step``, which runs once for each version,
    reads parameters and buffers, and leaves them as they are.
    """

    def __init__(
        self,
        *,
        model: nn.Module,
        optimizer: Optimizer,
        scheduler: Scheduler | None = None,
        scaler: GradScaler | None = None,
        extra: Mapping[str, Stateful] | None = None,
        after_step: Callable[[], None] | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Refer to the objects of the script, before the first forward; nothing is copied.

        Raises `NotProtectable`, with what to do, for what a mirror cannot follow.
        """
        limits = limits or Limits()
        self._baseline = check_protectable(
            model=model, optimizer=optimizer, scheduler=scheduler, scaler=scaler, extra=extra
        )
        self._model = model
        self._optimizer = optimizer
        self._scheduler = scheduler
        self._scaler = scaler
        self._after_step = after_step
        self._units = units_of(model, optimizer)
        self._shard_step = ShardStep(optimizer)
        self._writes = WriteWatch(self._units)
        # what `prepare` has found out, until the next `load`
        self._foreseen: ForeseenLoad | None = None
        self._holders = Holders(
            optimizer=optimizer,
            scheduler=scheduler,
            scaler=scaler,
            extra=extra or {},
            limits=limits,
        )
        owned = {id(unit.parameter) for unit in self._units}
        frozen = {
            name: parameter
            for name, parameter in model.named_parameters()
            if id(parameter) not in owned
        }
        #: buffers, and parameters that the optimizer does not hold
        self.buffers = BufferWatch(model, limits=limits, frozen=frozen)
        #: steps applied
        self.version = 0
        self._in_step = False
        # where the optimizer keeps its state, once that was found out
        self._known_devices: list[dict[str, torch.device]] | None = None

    @property
    def model(self) -> nn.Module:
        """The model, as the script built it."""
        return self._model

    @property
    def scaled(self) -> bool:
        """Whether a gradient scaler is in use, so that the ranks have to agree on overflows."""
        return self._scaler is not None

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return local(self._units[0].parameter).device

    def optimizer_spec(self) -> OptimizerSpec:
        """Return what a mirror needs to build the optimizer, as of now."""
        return optimizer_spec_of(self._optimizer)

    def unit_names(self) -> tuple[str, ...]:
        """Return the names of the units, in the order of `gradients`."""
        return tuple(unit.name for unit in self._units)

    def unit_specs(self) -> tuple[UnitSpec, ...]:
        """Return what the units are now, in the order of `gradients`."""
        return tuple(unit.spec() for unit in self._units)

    def unit_tensors(self, names: Sequence[str] | None = None) -> dict[str, Tensor]:
        """Return the tensors of the units of these names, or of all, by flat name.

        They share the live memory: send or copy them before the next `apply`.
        """
        wanted = None if names is None else set(names)
        return {
            name: tensor
            for unit in self._units
            if wanted is None or unit.name in wanted
            for name, tensor in unit.tensors().items()
        }

    def begin_step(self) -> None:
        """Keep what `discard` would have to put back. What was shipped of buffers has arrived."""
        self.buffers.snapshot()
        self._in_step = True

    def check_unchanged(self) -> None:
        """Raise `ProtectedChanged` when there are other parameters or groups than at the start."""
        check_unchanged(self._baseline, model=self._model, optimizer=self._optimizer)

    def unscale_and_check(self) -> bool:
        """Unscale the gradients, unless the script has; return whether one is infinite or NaN.

        Without a scaler there is nothing to unscale, and the answer is False. With one, the ranks
        have to agree: if it is True on any of them, all apply with ``skip``.

        Raises `NotProtectable` when the loss was not scaled.
        """
        return unscale_and_check(self._scaler, self._optimizer)

    def gradients(self) -> list[Tensor | None]:
        """Return each unit's local gradient, contiguous, sharing memory; None where it has none.

        Raises `NotProtectable` for a sparse gradient or one of another dtype.
        """
        return [unit.gradient() for unit in self._units]

    def hyperparameters(self) -> Hyperparameters:
        """Return what the next `apply` will use, so that a mirror uses the same."""
        return hyperparameters_of(self._optimizer)

    def small_state(self) -> tuple[bytes, list[Tensor]]:
        """Return groups, scheduler, scaler and extra objects as of now: a blob, and its tensors.

        The tensors share the live memory: send or copy them before the next `apply`.

        Raises `StateNotEncodable`, with the path, for a value that is neither plain nor a tensor.
        """
        return self._holders.encode()

    def touched(self) -> tuple[str, ...]:
        """Return the names of units that the script itself wrote since the last `apply`.

        A mirror cannot replay that: they have to be copied to it again.
        """
        return self._writes.touched()

    def apply(self, *, skip: bool = False) -> None:
        """Take the state to the next version, as the script would without protection.

        ``skip``: the ranks agreed that gradients were infinite or NaN; the optimizer does not
        step, and the scaler takes notice.
        """
        if not skip:
            self._shard_step.take()
        self._writes.mark()
        self.advance(skip=skip)
        self._optimizer.zero_grad(set_to_none=True)
        self.version += 1
        self._in_step = False

    def put_gradients(self, gradients: Sequence[Tensor | None]) -> None:
        """Take over pending gradients after `load`, in the order of `gradients`, for `apply`.

        They are copied. Raises `StateMismatch` when they do not fit; none has been put then.
        """
        unfit = [
            unit.name
            for unit, gradient in zip(self._units, gradients, strict=True)
            if gradient is not None and not unit.takes_gradient(gradient)
        ]
        if unfit:
            message = f"gradients of {', '.join(unfit)} do not fit this model: copy the rank again"
            raise StateMismatch(message, tensors=unfit)
        for unit, gradient in zip(self._units, gradients, strict=True):
            unit.put_gradient(gradient)

    def advance(self, *, skip: bool) -> None:
        """Do what follows the optimizer in `apply`: scheduler, scaler, ``after_step``.

        Called by itself after `load` with units and buffers of ``version`` and a small state that
        was taken just before `apply` led to it.
        """
        # A schedule warns if no optimizer step came before its own; here one did, on this rank,
        # on its former owner, or it was skipped for good reason.
        vars(self._optimizer)["_opt_called"] = True
        if self._scheduler is not None:
            self._scheduler.step()
        update_scaler(self._scaler, self._optimizer, found_inf=skip)
        if self._after_step is not None:
            self._after_step()

    def discard(self) -> None:
        """Go back to the start of the step: no gradients, buffers as at `begin_step`.

        Between two steps, and a second time, there is nothing to go back from.
        """
        if self._in_step:
            self.buffers.restore()
        self._in_step = False
        self._optimizer.zero_grad(set_to_none=True)
        forget_verdict(self._scaler, self._optimizer)

    def prepare(self, units: Sequence[UnitSpec]) -> None:
        """Create what `load` will write into for these units, before the moment that counts.

        The state is not to be used before it was loaded.
        """
        specs = {spec.name: spec for spec in units}
        devices = self._state_devices()
        for unit in self._units:
            if unit.name in specs:
                prepare_unit(
                    specs[unit.name],
                    parameter=unit.parameter,
                    optimizer=self._optimizer,
                    devices=devices[unit.group],
                )
        self._foreseen = ForeseenLoad.of(units, units=self._units)

    def load(
        self,
        *,
        version: int,
        units: Sequence[UnitSpec],
        tensors: Mapping[str, Tensor],
        buffers: Mapping[str, Tensor],
        small: tuple[bytes, Sequence[Tensor]],
    ) -> None:
        """Become the state of ``version``: copy everything into the live tensors and objects.

        Parameters stay the objects they are. ``units`` and ``tensors`` are those of the former
        owner or of its mirror, ``buffers`` all of ``buffers.tensors()``, ``small`` what
        `small_state` returned; when that was before the last `apply`, call `advance` next.

        Raises:
            StateMismatch: it does not fit model, optimizer, scheduler, scaler or extra objects.
            StateMalformed: ``small`` is not a small state. In both cases nothing was loaded.

        """
        self._reshard()
        foreseen = self._take_foreseen(units, tensors)
        unfit = self._misfits(units, tensors) if foreseen is None else []
        unfit += self.buffers.misfits(buffers)
        if unfit:
            message = (
                f"the state does not fit this model and optimizer in {', '.join(unfit)}: build "
                "them exactly as the former owner did"
            )
            raise StateMismatch(message, tensors=unfit)
        small_state = self._holders.decode(*small)
        if foreseen is None:
            self._write(units, tensors)
        else:
            foreseen.load(tensors)
        self.buffers.load(buffers, device=local(self._units[0].parameter).device)
        self._holders.restore(small_state)
        self._optimizer.zero_grad(set_to_none=True)
        forget_verdict(self._scaler, self._optimizer)
        self._writes.mark()
        self.version = version
        self._in_step = False

    def digests(self, digest: DigestFunction) -> dict[str, str]:
        """Return the digest of each tensor of the units, and of each buffer, by name."""
        return {**digest(self.unit_tensors()), **digest(self.buffers.tensors())}

    def _state_devices(self) -> list[dict[str, torch.device]]:
        if self._known_devices is None:
            self._known_devices = state_devices(self._optimizer)
        return self._known_devices

    def _take_foreseen(
        self, units: Sequence[UnitSpec], tensors: Mapping[str, Tensor]
    ) -> ForeseenLoad | None:
        """Return what `prepare` has found out, if it is of use for these; it is used once."""
        foreseen, self._foreseen = self._foreseen, None
        return foreseen if foreseen is not None and foreseen.fits(units, tensors) else None

    def _write(self, units: Sequence[UnitSpec], tensors: Mapping[str, Tensor]) -> None:
        specs = {spec.name: spec for spec in units}
        devices = self._state_devices()
        for unit in self._units:
            spec = specs[unit.name]
            write_unit(
                spec,
                tensors,
                parameter=unit.parameter,
                optimizer=self._optimizer,
                order=spec.order,
                devices=devices[unit.group],
            )

    def _reshard(self) -> None:
        # After an evaluation FSDP may still hold gathered parameters, which the next forward
        # would use instead of what is loaded.
        for module in self._model.modules():
            if isinstance(module, FSDPModule):
                module.reshard()

    def _misfits(self, units: Sequence[UnitSpec], tensors: Mapping[str, Tensor]) -> list[str]:
        loaded = {spec.name: spec for spec in units}
        differing = sorted(loaded.keys() ^ {unit.name for unit in self._units})
        for unit in self._units:
            spec = loaded.get(unit.name)
            if spec is None:
                continue
            if _identity(spec) != _identity(unit.spec()):
                differing.append(unit.name)
            differing += misfits(spec, tensors)
        return differing


def _identity(spec: UnitSpec) -> tuple[object, ...]:
    return spec.group, spec.dtype, spec.shape, spec.order
