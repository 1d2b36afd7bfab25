"""Writers into a temporary directory, and states to write, for the checkpoint tests."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from hotswap.checkpoint.reader import LoadedRank
from hotswap.checkpoint.writer import CheckpointWriter
from hotswap.limits import Limits

# Waits in these tests end by themselves; this only keeps a failing test from hanging.
WAIT_S = 20.0


def state_of(seed: int) -> dict[str, Any]:
    """Return what a rank hands to a capture: several dtypes and shapes, values by ``seed``."""
    generator = torch.Generator().manual_seed(seed)
    return {
        "units": {
            "layer.weight": torch.randn(4, 3, generator=generator),
            "layer.weight/exp_avg": torch.randn(3, 4, generator=generator).t(),
            "layer.weight/step": torch.tensor(float(seed)),
            "head.weight": torch.randn(7, generator=generator).bfloat16(),
            "empty": torch.empty(0, 5),
        },
        "buffers": {"norm.batches": torch.tensor(seed), "mask": torch.tensor([True])},
        "small_state": f"small state {seed}".encode(),
    }


@pytest.fixture
def make_state() -> Callable[[int], dict[str, Any]]:
    """Return `state_of`."""
    return state_of


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return a directory for checkpoints that does not exist yet."""
    return tmp_path / "checkpoints" / "gpt"


@pytest.fixture
def make_writer(directory: Path) -> Iterator[Callable[..., CheckpointWriter]]:
    """Return a maker of writers, which are closed when the test ends."""
    made = []

    def make(**changes: Any) -> CheckpointWriter:
        arguments = {"job": "gpt", "rank": 0, "world_size": 1, "limits": Limits()}
        writer = CheckpointWriter(directory=directory, **{**arguments, **changes})
        made.append(writer)
        return writer

    yield make
    for writer in made:
        writer.close()


@pytest.fixture
def save() -> Callable[..., bool]:
    """Return a function that captures the state of a seed and waits until it is dealt with."""

    def save_now(writer: CheckpointWriter, *, step: int, seed: int = 0, epoch: int = 1) -> bool:
        taken = writer.capture(step=step, epoch=epoch, **state_of(seed))
        assert writer.wait_idle(timeout_s=WAIT_S)
        return taken

    return save_now


@pytest.fixture
def save_set(
    make_writer: Callable[..., CheckpointWriter], save: Callable[..., bool]
) -> Callable[..., None]:
    """Return a function that writes a complete set; the seed of a rank is 100 * step + rank."""

    def save_all(*, step: int, epoch: int = 1, world_size: int = 2, keep: int = 100) -> None:
        # Rank 0 comes last, so that its pruning sees the set complete.
        for rank in reversed(range(world_size)):
            writer = make_writer(rank=rank, world_size=world_size, keep=keep)
            assert save(writer, step=step, epoch=epoch, seed=100 * step + rank)
            assert writer.status.last_error is None
            assert writer.close()

    return save_all


@pytest.fixture
def assert_holds() -> Callable[[LoadedRank, int], None]:
    """Return an assertion that a loaded rank holds, bit by bit, the state of a seed."""

    def check(loaded: LoadedRank, seed: int) -> None:
        state = state_of(seed)
        for actual, expected in (
            (loaded.units, state["units"]),
            (loaded.buffers, state["buffers"]),
        ):
            assert actual.keys() == expected.keys()
            for name, tensor in expected.items():
                assert actual[name].dtype == tensor.dtype
                assert torch.equal(actual[name], tensor), name
        assert loaded.small_state == state["small_state"]

    return check
