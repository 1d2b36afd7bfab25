"""Buffers of a model: what the script changes outside the optimizer, such as batch statistics.

A step that is retried must start from the buffers it started from the first time, and a mirror
must be sent those that changed. Both want to know what was written since, without reading
everything. A tensor's version counter says so for what is written through torch's operators, but
kernels such as batch normalisation write running statistics without telling it; so floating-point
buffers up to a limit are compared, bit by bit.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from hotswap.limits import Limits
from hotswap.runtime.capsule.tensors import local, same_bits


@dataclass(slots=True, kw_only=True)
class _Slot:
    """A place in a module where a buffer is, or a frozen parameter, which no optimizer holds."""

    module: nn.Module | None
    key: str
    tensor: Tensor | None
    persistent: bool = True


@dataclass(slots=True, kw_only=True)
class _Seen:
    """A buffer as it was."""

    slot: _Slot
    # version counter at the time; None: the tensor has none
    version: int | None
    # its content; None where the version counter is trusted and no content was asked for
    content: Tensor | None


class BufferWatch:
    """Watches the buffers of ``model``, and parameters in ``frozen`` (by name) beside them.

    Call order: `snapshot` at the start of a step; in it, `changed` for what to ship, as often as
    wanted; then either `snapshot` again, which says that the step took force and what was shipped
    has arrived, or `restore`, which puts everything back and forgets what was shipped since.

    Buffers beyond ``buffer_compare_nbytes_max`` must be written through torch's operators on the
    tensor itself, neither through ``.data`` nor by foreign kernels, to be noticed.
    """

    def __init__(
        self, model: nn.Module, *, limits: Limits, frozen: Mapping[str, Tensor] | None = None
    ) -> None:
        """Copy nothing yet."""
        self._model = model
        self._compare_nbytes_max = limits.buffer_compare_nbytes_max
        # Taken once: FSDP exchanges the parameters in the modules while it computes.
        self._frozen = {
            name: _Slot(module=None, key=name, tensor=tensor)
            for name, tensor in (frozen or {}).items()
        }
        self._before: dict[str, _Seen] | None = None
        self._shipped: dict[str, _Seen] = {}
        self._offered: dict[str, _Seen] = {}

    def tensors(self) -> dict[str, Tensor]:
        """Return every buffer and frozen parameter by name, local, sharing its memory."""
        return {
            name: local(slot.tensor)
            for name, slot in self._slots().items()
            if slot.tensor is not None
        }

    def misfits(self, tensors: Mapping[str, Tensor]) -> list[str]:
        """Return the names for which `load` would find no place, or that ``tensors`` lacks."""
        slots = self._slots()
        missing = [
            name for name, slot in slots.items() if slot.tensor is not None and name not in tensors
        ]
        homeless = [name for name in tensors if name not in slots and self._home(name) is None]
        unlike = [
            name
            for name, slot in self._frozen.items()
            if slot.tensor is not None
            and name in tensors
            and not _is_alike(local(slot.tensor), tensors[name])
        ]
        return missing + homeless + unlike

    def load(self, tensors: Mapping[str, Tensor], *, device: torch.device) -> None:
        """Copy ``tensors``, which must not misfit, into the buffers of those names.

        A buffer of that dtype and shape is written in place. Others are replaced, and those that
        the owner's model has created in use, and this one not yet, are registered on ``device``.
        """
        slots = self._slots()
        for name, tensor in tensors.items():
            slot = slots.get(name) or self._home(name)
            held = slot.tensor if slot is not None else None
            if slot is not None and (held is None or not _is_alike(local(held), tensor)):
                on = device if held is None else held.device
                held = tensor.to(on, copy=True)
                slot.tensor = held
                _put_back(_Seen(slot=slot, version=None, content=None))
            elif held is not None:
                _copy_into(held, tensor)

    def snapshot(self) -> None:
        """Keep what the buffers are now, copying only those that changed since the last time."""
        self._shipped.update(self._offered)
        self._offered.clear()
        before = {}
        for name, slot in self._slots().items():
            known = self._before.get(name) if self._before is not None else None
            unchanged = known is not None and self._is_same(known, slot)
            before[name] = known if unchanged and known else self._kept(slot, reuse=known)
        self._before = before

    def restore(self) -> None:
        """Put back the buffers of the last `snapshot`, exactly, and drop any that came since."""
        if self._before is None:
            message = "restore needs a snapshot to go back to: call snapshot first"
            raise RuntimeError(message)
        slots = self._slots()
        for name in slots.keys() - self._before.keys():
            _remove(slots[name])
        for name, known in self._before.items():
            now = slots.get(name)
            if now is None or not self._is_same(known, now):
                _put_back(known)
                known.version = _version(known.slot.tensor)
        self._offered.clear()

    def changed(self) -> list[tuple[str, Tensor]]:
        """Return the buffers that are not as they were when they were last shipped.

        They are local and share the memory of the live ones. Nothing counts as shipped before the
        next `snapshot`; until then the same call returns them again.
        """
        found = []
        for name, slot in self._slots().items():
            known = self._shipped.get(name)
            if slot.tensor is None or (known is not None and self._is_same(known, slot)):
                continue
            self._offered[name] = self._seen(slot)
            found.append((name, local(slot.tensor)))
        return found

    def _slots(self) -> dict[str, _Slot]:
        return {**dict(self._buffers()), **self._frozen}

    def _home(self, name: str) -> _Slot | None:
        """Return a free place for a buffer that the model does not have, or None."""
        prefix, _, key = name.rpartition(".")
        module = dict(self._model.named_modules()).get(prefix)
        if module is None or hasattr(module, key):
            return None
        return _Slot(module=module, key=key, tensor=None, persistent=False)

    def _buffers(self) -> Iterator[tuple[str, _Slot]]:
        # `named_buffers` leaves out buffers that are None and says nothing of persistence.
        for prefix, module in self._model.named_modules():
            for key, tensor in module._buffers.items():  # noqa: SLF001 - as said above
                persistent = key not in module._non_persistent_buffers_set  # noqa: SLF001
                slot = _Slot(module=module, key=key, tensor=tensor, persistent=persistent)
                yield f"{prefix}.{key}" if prefix else key, slot

    def _is_same(self, known: _Seen, slot: _Slot) -> bool:
        tensor = slot.tensor
        if known.slot.tensor is not tensor or known.slot.module is not slot.module:
            return False
        if tensor is None:
            return True
        if known.version is None or known.version != _version(tensor):
            return False
        if self._tells_version(tensor):
            return True
        return known.content is not None and same_bits(known.content, local(tensor))

    def _tells_version(self, tensor: Tensor) -> bool:
        compared = tensor.is_floating_point() or tensor.is_complex()
        return not compared or local(tensor).nbytes > self._compare_nbytes_max

    def _seen(self, slot: _Slot) -> _Seen:
        tensor = slot.tensor
        content = None
        if tensor is not None and not self._tells_version(tensor):
            content = local(tensor).clone()
        return _Seen(slot=slot, version=_version(tensor), content=content)

    def _kept(self, slot: _Slot, *, reuse: _Seen | None) -> _Seen:
        if slot.tensor is None:
            return _Seen(slot=slot, version=None, content=None)
        now = local(slot.tensor)
        held = reuse.content if reuse is not None else None
        if held is not None and (held.shape, held.dtype) == (now.shape, now.dtype):
            content = held.copy_(now)
        else:
            content = now.clone()
        return _Seen(slot=slot, version=_version(slot.tensor), content=content)


def _version(tensor: Tensor | None) -> int | None:
    # Tensors made in inference mode count no versions.
    if tensor is None or tensor.is_inference():
        return None
    return tensor._version  # noqa: SLF001


def _remove(slot: _Slot) -> None:
    if slot.module is not None:
        delattr(slot.module, slot.key)


def _put_back(known: _Seen) -> None:
    slot = known.slot
    if slot.module is not None:
        present = slot.module._buffers  # noqa: SLF001
        if slot.key in present:
            present[slot.key] = slot.tensor
        else:
            slot.module.register_buffer(slot.key, slot.tensor, persistent=slot.persistent)
    if slot.tensor is not None and known.content is not None:
        _copy_into(slot.tensor, known.content)


def _copy_into(tensor: Tensor, content: Tensor) -> None:
    # A tensor made in inference mode can be written in it only.
    with torch.no_grad(), torch.inference_mode(mode=tensor.is_inference()):
        local(tensor).copy_(content)


def _is_alike(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype
