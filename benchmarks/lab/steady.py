"""One rank of a run that nothing happens to: how much processor time does a step cost?

``--plain`` trains with torch alone (FSDP2, `DistributedSampler`, `DataLoader`); without it, the
same model goes through hotswap. Each rank writes its process's CPU time, user and system, of all
threads, at the end of each step.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.utils import clip_grad_norm_
from torch.optim import AdamW
from torch.utils.data import DataLoader, DistributedSampler

import hotswap
from benchmarks.lab.open_ended import Until
from benchmarks.lab.probe import pace

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))

from corpus import Windows, read_corpus  # noqa: E402 - found in the folder just added
from gpt import GPT  # noqa: E402 - likewise

SEED = 7


@dataclass(kw_only=True)
class Work:
    """What is trained: the model of ``examples/gpt.py``."""

    model: nn.Module
    optimizer: AdamW
    windows: Windows

    @classmethod
    def build(cls, options: argparse.Namespace, *, world_size: int) -> Work:
        """Build it, sharded over all ranks."""
        torch.manual_seed(SEED)
        model = GPT(layers=4, width=options.width, heads=4, context=options.context)
        mesh = init_device_mesh("cpu", (world_size,), mesh_dim_names=("shard",))
        for module in (*model.blocks, model):
            fully_shard(module, mesh=mesh)
        optimizer = AdamW(model.parameters(), lr=1e-4)
        windows = Windows(read_corpus().training, options.context)
        return cls(model=model, optimizer=optimizer, windows=windows)

    def gradients(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """Compute loss and clipped gradients."""
        loss: Tensor = self.model(inputs, targets)
        # torch leaves it untyped
        loss.backward()  # type: ignore[no-untyped-call]
        clip_grad_norm_(self.model.parameters(), 1.0)
        return loss


class Meter:
    """The file of one rank."""

    def __init__(self, folder: Path, rank: int) -> None:
        self._file = (folder / f"cpu-{rank}.jsonl").open("a", buffering=1)

    def read(self, step: int) -> None:
        """Write the processor time so far."""
        line = {"step": step, "cpu_s": time.process_time(), "at_s": time.monotonic()}
        self._file.write(json.dumps(line) + "\n")


def train_plain(options: argparse.Namespace) -> None:
    """Train with torch alone."""
    dist.init_process_group("gloo")
    rank, world_size = dist.get_rank(), dist.get_world_size()
    work = Work.build(options, world_size=world_size)
    sampler: DistributedSampler[tuple[Tensor, Tensor]] = DistributedSampler(
        work.windows, seed=SEED, drop_last=True
    )
    batches: Iterable[tuple[Tensor, Tensor]] = DataLoader(
        work.windows, batch_size=options.batch, sampler=sampler
    )
    meter = Meter(options.out, rank)
    for step, (inputs, targets) in zip(range(options.steps), batches, strict=False):
        work.gradients(inputs, targets)
        work.optimizer.step()
        work.optimizer.zero_grad()
        meter.read(step)
    dist.destroy_process_group()


def train_protected(options: argparse.Namespace) -> None:
    """Train the same through hotswap."""
    run = hotswap.join(seed=SEED)
    work = Work.build(options, world_size=run.world_size)
    data = hotswap.Loader(work.windows, batch_size=options.batch)
    run.protect(model=work.model, optimizer=work.optimizer, data=data)
    meter = Meter(options.out, run.rank)
    for step in run.steps(Until.from_file(options.out / "last")):
        with step:
            step.commit(work.gradients(*step.batch()))
        meter.read(step.index)
        pace(options.out)


def main() -> None:
    """Train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--steps", type=int, default=0, help="of the plain run")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--context", type=int, default=128)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if options.plain:
        train_plain(options)
    else:
        train_protected(options)


if __name__ == "__main__":
    main()
