"""A gradient scaler whose verdict all ranks share.

``GradScaler.step`` looks at this rank's gradients alone. Here finding and acting are apart: each
rank reports what it found, the ranks agree, and the scaler is told the agreed verdict before its
``update``. Its state evolves exactly as under its own ``step`` and ``update``. torch has no public
way to do so, hence the private attributes, which are those of torch 2.13.
"""
# ruff: noqa: SLF001

from typing import Any

import torch
from torch.amp import GradScaler
from torch.amp.grad_scaler import OptState
from torch.optim import Optimizer

from hotswap.errors import NotProtectable


def unscale_and_check(scaler: GradScaler | None, optimizer: Optimizer) -> bool:
    """Unscale the gradients unless that is done; return whether one is infinite or NaN.

    With distributed gradients this is a collective, as ``scaler.unscale_`` is.

    Raises `NotProtectable` when the loss was not scaled by ``scaler``.
    """
    if scaler is None or not scaler.is_enabled():
        return False
    if scaler._scale is None:
        message = (
            "the gradient scaler has never scaled a loss: call scaler.scale(loss).backward(), or "
            "protect the state without the scaler"
        )
        raise NotProtectable(message)
    verdict = scaler._per_optimizer_states[id(optimizer)]
    if verdict["stage"] is OptState.READY:
        scaler.unscale_(optimizer)
    return any(bool(found.item()) for found in _found(scaler, optimizer).values())


def update_scaler(scaler: GradScaler | None, optimizer: Optimizer, *, found_inf: bool) -> None:
    """Update the scale as after a step in which the ranks together found, or did not find, inf."""
    if scaler is None or not scaler.is_enabled():
        return
    prepare_scaler(scaler, optimizer)
    assert scaler._scale is not None  # just prepared
    device = scaler._scale.device
    agreed = torch.full((), float(found_inf), dtype=torch.float32, device=device)
    # One verdict in place of those per device: `update` adds them up.
    found = _found(scaler, optimizer)
    found.clear()
    found[device] = agreed
    scaler.update()


def prepare_scaler(scaler: GradScaler, optimizer: Optimizer) -> None:
    """Create the tensors of ``scaler`` from what was loaded, if no loss has created them yet."""
    if scaler.is_enabled() and scaler._scale is None:
        scaler._lazy_init_scale_growth_tracker(optimizer.param_groups[0]["params"][0].device)


def forget_verdict(scaler: GradScaler | None, optimizer: Optimizer) -> None:
    """Let a retried step unscale its gradients again."""
    if scaler is not None and scaler.is_enabled():
        scaler._per_optimizer_states.pop(id(optimizer), None)


def _found(scaler: GradScaler, optimizer: Optimizer) -> dict[Any, torch.Tensor]:
    found: dict[Any, torch.Tensor] = scaler._per_optimizer_states[id(optimizer)][
        "found_inf_per_device"
    ]
    return found
