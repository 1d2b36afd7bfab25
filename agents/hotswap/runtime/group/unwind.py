"""Bringing a model back to the start of a step after its forward or backward was cut short.

A lost epoch raises in the middle of a forward or a backward. What FSDP2 and DDP keep for one
iteration is then half done; torch 2.13 has a public way back for FSDP2 (``reset_iter_state``) and
a semi-public one for DDP (``Reducer._reset_state``). Gradients that were accumulated for the lost
iteration are dropped here: neither of the two does that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from torch.distributed.fsdp import FSDPModule
from torch.nn.parallel import DistributedDataParallel

if TYPE_CHECKING:
    from torch import nn


def reset_iteration(model: nn.Module) -> None:
    """Forget the iteration under way: model, wrappers and gradients are as before its forward.

    To be called while the groups echo, between two epochs: DDP's reset forgets its bucket layout
    too, and settling it again takes broadcasts in which a newcomer has no part.
    """
    for root in _roots(model):
        _reset_fsdp(root)
    for module in model.modules():
        if isinstance(module, DistributedDataParallel):
            module.reducer._reset_state()  # noqa: SLF001 - torch has no public name for it
    settle_buckets(model)
    for parameter in model.parameters():
        parameter.grad = None


def settle_buckets(model: nn.Module) -> None:
    """Fix DDP's bucket layout before the first step.

    DDP regroups its buckets after the first backward, in the order in which gradients became
    ready. A rank that takes over at step k would still have the first layout while the others
    have the second. Regrouping at once makes the layout a function of the parameters alone.
    """
    for module in model.modules():
        if isinstance(module, DistributedDataParallel):
            module.reducer._push_all_rebuilt_params()  # noqa: SLF001
            module.reducer._rebuild_buckets()  # noqa: SLF001


def _roots(model: nn.Module) -> list[FSDPModule]:
    """Return the outermost FSDP2 modules that have run a forward."""
    roots: list[FSDPModule] = []
    covered: set[int] = set()
    for module in model.modules():
        if isinstance(module, FSDPModule) and id(module) not in covered:
            roots.append(module)
            covered.update(id(child) for child in cast("nn.Module", module).modules())
    return roots


def _reset_fsdp(root: FSDPModule) -> None:
    if root._get_fsdp_state()._is_root is None:  # noqa: SLF001 - no forward has run yet
        return
    root.reset_iter_state()
    for module in cast("nn.Module", root).modules():
        if not isinstance(module, FSDPModule):
            continue
        for group in module._get_fsdp_state()._fsdp_param_groups:  # noqa: SLF001
            for parameter in group.fsdp_params:
                parameter.unsharded_accumulated_grad = None
                unsharded = getattr(parameter, "_unsharded_param", None)
                if unsharded is not None:
                    unsharded.grad = None
