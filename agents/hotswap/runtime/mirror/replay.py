"""A mirror's copy of a rank: plain tensors that replay what the rank's optimizer does.

State(k+1) = optimizer(State(k), gradients(k)). Units are copied in one by one, each at a version
of its own; from that version on, the logged gradients are applied to it by the same optimizer
code with the same hyperparameters, over tensors of the same memory layout. So it holds the bits
that the owner holds, and a difference means that one of the two is corrupt.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import torch
from torch import Tensor

from hotswap.errors import ReplayGap, StateMismatch
from hotswap.runtime.capsule.hyperparameters import Hyperparameters
from hotswap.runtime.capsule.numerics import intra_op_threads, replay_device
from hotswap.runtime.capsule.optimizers import (
    OptimizerSpec,
    apply_hyperparameters,
    build_optimizer,
)
from hotswap.runtime.capsule.tensors import dtype_named
from hotswap.runtime.capsule.unit_loading import misfits, state_devices, write_unit
from hotswap.runtime.capsule.units import Unit, UnitSpec

#: Digests of named tensors, such as `hotswap.transfer.digest.tensor_digests`.
DigestFunction = Callable[[Mapping[str, Tensor]], Mapping[str, str]]


@dataclass(slots=True, kw_only=True)
class _Copy:
    """A unit's place in the replay."""

    # as announced: dtype, shape and memory order do not change
    spec: UnitSpec
    # over a plain parameter in memory order
    unit: Unit
    # in host memory, allocated with the first gradient, then used for every one
    gradient: Tensor | None = None
    # steps applied; None: not copied yet
    version: int | None = None
    # whether the unit takes part in the pending step
    pending: bool = False
    # values of the optimizer's state when the two below were found out, which takes longer than
    # to see that they are the same objects
    _values: tuple[object, ...] | None = None
    _spec: UnitSpec | None = None
    _tensors: dict[str, Tensor] = field(default_factory=dict)

    def now(self) -> tuple[UnitSpec, dict[str, Tensor]]:
        """Return what the unit is now, dimensions as the model has them, and its tensors."""
        values = tuple(self.unit.state().values())
        known, spec = self._values, self._spec
        if spec is None or known is None or not _same_objects(values, known):
            spec = msgspec.structs.replace(self.spec, state=self.unit.spec().state)
            self._values, self._spec, self._tensors = values, spec, self.unit.tensors()
        return spec, self._tensors


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pending:
    step: int
    hyperparameters: Hyperparameters
    skip: bool


class Replay:
    """The mirrored state of one rank. Not thread-safe: one thread at a time.

    Call order: `put_unit` for each unit, and for each step `log`, then `apply` once the step was
    committed, or `discard`. The two may be interleaved in any way in which a unit copied at a
    version is put before the gradients of that version are applied.
    """

    def __init__(
        self,
        *,
        optimizer: OptimizerSpec,
        units: Sequence[UnitSpec],
    ) -> None:
        """Allocate the parameters; they are not filled yet.

        They are in host memory where the owner's are, else on an accelerator of the same kind.

        Raises:
            NumericsDiffer: this process would compute other bits than the owner's.
            NotProtectable: this process does not know the class of the optimizer.

        """
        self._device = replay_device(optimizer.numerics)
        parameters = [
            torch.zeros(spec.memory_shape, dtype=dtype_named(spec.dtype), device=self._device)
            for spec in units
        ]
        groups: list[list[Tensor]] = [[] for _ in optimizer.groups]
        for spec, parameter in zip(units, parameters, strict=True):
            groups[spec.group].append(parameter)
        self._optimizer = build_optimizer(optimizer, groups, device=self._device)
        self._state_devices = state_devices(self._optimizer)
        self._copies = {
            spec.name: _Copy(
                spec=spec,
                unit=Unit(
                    name=spec.name,
                    group=spec.group,
                    parameter=parameter,
                    optimizer=self._optimizer,
                ),
            )
            for spec, parameter in zip(units, parameters, strict=True)
        }
        self._version: int | None = None
        self._pending: _Pending | None = None
        self._sealed: tuple[int, dict[str, str]] | None = None

    @property
    def version(self) -> int | None:
        """Steps applied, which is also the next step to be logged; None before anything came."""
        return self._version

    @property
    def pending(self) -> int | None:
        """The step whose gradients are held and not applied yet; None without."""
        return None if self._pending is None else self._pending.step

    @property
    def complete(self) -> bool:
        """Whether every unit is present at `version`: whether this is the rank's state."""
        return self._version is not None and not self.missing()

    def missing(self) -> tuple[str, ...]:
        """Return the names of the units that are not present at `version`."""
        return tuple(
            name
            for name, copy in self._copies.items()
            if copy.version is None or copy.version != self._version
        )

    def put_unit(self, spec: UnitSpec, *, version: int, tensors: Mapping[str, Tensor]) -> None:
        """Copy a unit in, as the owner had it after ``version`` steps.

        ``spec`` says which optimizer state it had by then; ``tensors`` are those of
        ``spec.tensor_names()``, by flat name, and free to be used again afterwards.

        Raises:
            ReplayGap: gradients from ``version`` on have been applied here already, so that the
                unit would miss them; send a copy of a later version.
            StateMismatch: it is not a unit of this rank, or a tensor is missing or unlike ``spec``.

        """
        copy = self._copies.get(spec.name)
        if copy is None or _identity(copy.spec) != _identity(spec):
            message = f"{spec.name!r} is no unit of this rank: send the specs of the rank again"
            raise StateMismatch(message, tensors=[spec.name])
        unfit = misfits(spec, tensors)
        if unfit:
            message = (
                f"the copy of {spec.name!r} lacks or misshapes {', '.join(unfit)}: send it again"
            )
            raise StateMismatch(message, tensors=unfit)
        if self._version is not None and version < self._version:
            message = (
                f"{spec.name!r} was copied at version {version}, and the mirror is at "
                f"{self._version}: copy it again"
            )
            raise ReplayGap(message)
        parameter = copy.unit.parameter
        write_unit(
            spec,
            tensors,
            parameter=parameter,
            optimizer=self._optimizer,
            order=range(parameter.dim()),
            devices=self._state_devices[spec.group],
        )
        copy.version = version
        self._sealed = None
        if self._version is None:
            self._version = version

    def gradient_buffers(self) -> dict[str, Tensor]:
        """Return, by unit, host memory to receive the gradients of the next step in, for `log`.

        It is the same in every step. What is pending is discarded, as it will be overwritten.
        """
        self.discard()
        return {name: self._gradient_of(copy) for name, copy in self._copies.items()}

    def log(
        self,
        *,
        step: int,
        gradients: Sequence[Tensor | None],
        hyperparameters: Hyperparameters,
        skip: bool = False,
    ) -> bool:
        """Hold the gradients of ``step``, in place of any that are pending; return False if old.

        ``gradients`` are in the order of the units, None for one without. Those that are not the
        `gradient_buffers` themselves are copied into them. ``skip``: the ranks agreed that some
        are infinite or NaN, and no optimizer steps. An earlier step than `version` is ignored.

        Raises:
            ReplayGap: gradients of the steps between never came; this copy has to be made anew.
            StateMismatch: gradients or hyperparameters are not those of this rank.

        """
        if self._version is None:
            self._version = step
        if step < self._version:
            return False
        if step > self._version:
            message = (
                f"gradients of step {step} came to a mirror at version {self._version}: copy the "
                "rank to it again"
            )
            raise ReplayGap(message)
        self._check(gradients, hyperparameters)
        self.discard()
        for copy, gradient in zip(self._copies.values(), gradients, strict=True):
            copy.pending = gradient is not None
            if gradient is not None:
                buffer = self._gradient_of(copy)
                if gradient.data_ptr() != buffer.data_ptr():
                    buffer.copy_(gradient)
        self._pending = _Pending(step=step, hyperparameters=hyperparameters, skip=skip)
        return True

    def discard(self) -> None:
        """Forget the pending gradients: the step is tried again, or they will be overwritten."""
        self._pending = None

    def pending_gradients(self) -> list[Tensor | None]:
        """Return the pending gradients in the order of the units, for `RankState.put_gradients`.

        Raises `ReplayGap` when none are pending.
        """
        self._held()
        return [copy.gradient if copy.pending else None for copy in self._copies.values()]

    def apply(self) -> int:
        """Apply the pending gradients, and return the new version.

        Units copied at a later version are left as they are.

        Raises `ReplayGap` when no gradients are pending.
        """
        pending = self._held()
        due = [copy for copy in self._copies.values() if copy.version == pending.step]
        if not pending.skip:
            self._step(due, pending.hyperparameters)
        self._version = pending.step + 1
        for copy in due:
            copy.version = self._version
        self._pending = None
        self._sealed = None
        return self._version

    def specs(self) -> tuple[UnitSpec, ...]:
        """Return what the units are now, for `RankState.load`; dimensions are the model's."""
        return tuple(copy.now()[0] for copy in self._copies.values())

    def tensors(self) -> dict[str, Tensor]:
        """Return the tensors of every unit by flat name, for hand-over; they share memory."""
        return {
            name: tensor for copy in self._copies.values() for name, tensor in copy.now()[1].items()
        }

    def digests(self, digest: DigestFunction) -> dict[str, str]:
        """Return the digest of each tensor by flat name, comparable with the owner's."""
        return dict(digest(self.tensors()))

    def seal(self, digest: DigestFunction) -> dict[str, str]:
        """Return `digests`, and record them for `scrub` at this version."""
        if self._version is None:
            message = "an empty mirror has nothing to seal: put its units first"
            raise ReplayGap(message)
        found = self.digests(digest)
        self._sealed = (self._version, found)
        return found

    def scrub(self, digest: DigestFunction) -> tuple[str, ...] | None:
        """Return the names of tensors whose bits changed at rest since `seal`.

        None: they are not sealed as they are now, because none was taken since the last `apply`
        or `put_unit`, so that nothing can be said.
        """
        if self._sealed is None:
            return None
        _, sealed = self._sealed
        now = self.digests(digest)
        return tuple(sorted(name for name in sealed if sealed[name] != now.get(name)))

    def _held(self) -> _Pending:
        if self._pending is None:
            message = (
                f"no gradients of step {self._version} are held here: copy the rank to this "
                "mirror again"
            )
            raise ReplayGap(message)
        return self._pending

    def _gradient_of(self, copy: _Copy) -> Tensor:
        if copy.gradient is None:
            copy.gradient = torch.empty_like(copy.unit.parameter, device="cpu")
        return copy.gradient

    def _step(self, due: Sequence[_Copy], hyperparameters: Hyperparameters) -> None:
        apply_hyperparameters(self._optimizer, hyperparameters.groups, device=self._device)
        taking_part = [copy for copy in due if copy.pending]
        for copy in taking_part:
            copy.unit.parameter.grad = self._gradient_of(copy).to(self._device)
        with intra_op_threads(hyperparameters.threads):
            self._optimizer.step()
        # Not to be seen by the next step, in which the unit may have no gradient.
        for copy in taking_part:
            copy.unit.parameter.grad = None

    def _check(self, gradients: Sequence[Tensor | None], hyperparameters: Hyperparameters) -> None:
        unfit = []
        if len(gradients) != len(self._copies):
            message = f"{len(gradients)} gradients came for {len(self._copies)} units of this rank"
            raise StateMismatch(message, tensors=())
        if len(hyperparameters.groups) != len(self._optimizer.param_groups):
            message = (
                f"hyperparameters of {len(hyperparameters.groups)} groups came, this rank has "
                f"{len(self._optimizer.param_groups)}"
            )
            raise StateMismatch(message, tensors=())
        for copy, gradient in zip(self._copies.values(), gradients, strict=True):
            parameter = copy.unit.parameter
            if gradient is not None and (
                gradient.shape != parameter.shape or gradient.dtype != parameter.dtype
            ):
                unfit.append(copy.spec.name)
        if unfit:
            message = f"gradients of {', '.join(unfit)} do not fit the units: discard the message"
            raise StateMismatch(message, tensors=unfit)


def _same_objects(one: Sequence[object], other: Sequence[object]) -> bool:
    return len(one) == len(other) and all(map(operator.is_, one, other))


def _identity(spec: UnitSpec) -> tuple[object, ...]:
    return spec.group, spec.dtype, spec.shape, spec.order
