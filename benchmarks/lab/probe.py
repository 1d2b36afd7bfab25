"""A training script that writes down what it did, and can be told to die at a chosen place.

Run by ``hotswap run``. Each owner of a rank appends one line per committed step to a file of its
own, and at the end the digest of its state: what a judge compares with the undisturbed run.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from contextlib import suppress
from pathlib import Path

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import Dataset

import hotswap
from benchmarks.lab.aim import Aim
from benchmarks.lab.relay import use_own_book

VOCABULARY = 64


class Sequences(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Token sequences that can be learnt: each is a function of its index."""

    def __init__(self, *, samples: int, context: int) -> None:
        self._samples = samples
        self._context = context

    def __len__(self) -> int:
        return self._samples

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor]:
        start = torch.arange(self._context + 1) * (index % 7 + 1) + index
        tokens = start % VOCABULARY
        return tokens[:-1], tokens[1:]


class Block(nn.Module):
    """A decoder block: attention, then two linear layers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 4, dropout=0.1, batch_first=True)
        self.layers = nn.Sequential(
            nn.LayerNorm(width),
            nn.Linear(width, 4 * width),
            nn.GELU(),
            nn.Linear(4 * width, width),
            nn.Dropout(0.1),
        )

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Map ``hidden`` (batch, context, width) to the same shape."""
        context = hidden.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(context)
        normed = self.norm(hidden)
        attended, _ = self.attention(normed, normed, normed, attn_mask=mask, need_weights=False)
        hidden = hidden + attended
        mixed: torch.Tensor = self.layers(hidden)
        return hidden + mixed


class Decoder(nn.Module):
    """A small decoder-only transformer."""

    def __init__(self, *, width: int, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(layers))
        self.head = nn.Linear(width, VOCABULARY)

    def forward(self, tokens: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """Return the mean loss of predicting ``targets`` (batch, context)."""
        hidden = self.embedding(tokens)
        for block in self.blocks:
            hidden = block(hidden)
        logits = self.head(hidden)
        return nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def wrap(model: Decoder, *, mode: str, world_size: int) -> nn.Module:
    """Distribute ``model`` as ``mode`` says."""
    if mode == "ddp":
        return DistributedDataParallel(model)
    if mode == "hsdp":
        mesh = init_device_mesh("cpu", (2, world_size // 2), mesh_dim_names=("replica", "shard"))
    else:
        mesh = init_device_mesh("cpu", (world_size,), mesh_dim_names=("shard",))
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model


class Record:
    """The file of one owner of a rank."""

    def __init__(self, folder: Path, rank: int) -> None:
        name = os.environ.get("HOTSWAP_MEMBER", f"plain-{rank}")
        self._file = (folder / f"rank-{rank}.{name}.jsonl").open("a", buffering=1)

    def write(self, **values: object) -> None:
        """Append one line."""
        self._file.write(json.dumps(values) + "\n")


def pace(folder: Path) -> None:
    """Sleep, if a file says so: a walking job lasts until it has been disturbed."""
    with suppress(FileNotFoundError):
        time.sleep(float((folder / "pace").read_text() or 0))


def main() -> None:
    """Train, and write down what became of it."""
    options = parse_options()
    torch.set_num_threads(1)
    use_own_book(options.out)
    run = hotswap.join(seed=options.seed)
    torch.manual_seed(options.seed)
    decoder = Decoder(width=options.width, layers=options.layers)
    model = wrap(decoder, mode=options.mode, world_size=run.world_size)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=options.steps)
    data = hotswap.Loader(
        Sequences(samples=1 << 20, context=options.context), batch_size=options.batch
    )
    run.protect(model=model, optimizer=optimizer, scheduler=scheduler, data=data)
    aim = Aim.parse(options.aim, folder=options.out, rank=run.rank)
    aim.prepare(decoder)
    record = Record(options.out, run.rank)
    for step in run.steps(options.steps):
        pace(options.out)
        aim.at(step.index)
        with step:
            tokens, targets = step.batch()
            loss = model(tokens, targets)
            loss.backward()
            clip_grad_norm_(model.parameters(), 1.0)
            step.commit(loss)
        if step.committed:
            record.write(step=step.index, epoch=step.epoch, loss=float(loss.detach()).hex())
    record.write(final=run.digest())


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("fsdp2", "hsdp", "ddp"), default="fsdp2")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--context", type=int, default=32)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--aim", default="", help="PLACE:RANK:STEP at which to die, once")
    return parser.parse_args()


if __name__ == "__main__":
    main()
