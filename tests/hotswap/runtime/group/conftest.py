"""Worlds for the conformance suite: gloo everywhere, NCCL wherever there are GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from tests.hotswap.runtime.group.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

RANKS = 3

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


@pytest.fixture(params=DEVICES)
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    """Three ranks over the transport of each device that this machine has."""
    built = World(RANKS, torch.device(request.param))
    yield built
    built.close()
