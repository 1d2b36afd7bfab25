"""Train a small GPT on the bytes of Python's own standard library.

::

    hotswap run --ranks 4 --standbys 1 examples/gpt.py --replicas 2
    torchrun --nproc-per-node 2 examples/gpt.py
    python examples/gpt.py

It is an ordinary PyTorch program: FSDP2 over a device mesh, AdamW, warm-up and cosine schedule,
clipped gradients, dropout. Six lines protect it, marked ``# hotswap``. Besides, ``hotswap.Loader``
stands for a ``DataLoader`` with its sampler, ``step.batch()`` for ``next(batches)``, and
``step.report()`` for a line in a log.
"""

import argparse
import math
from functools import partial

import torch
import torch.distributed as dist
from corpus import Windows, read_corpus
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn import functional
from torch.nn.utils import clip_grad_norm_
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR

import hotswap  # hotswap 1: nothing else to import

# Shapes: B batch, T bytes of context, C width, H heads, D = C / H width of a head, V byte values
BYTE_VALUES = 256
DROPOUT = 0.1
GRADIENT_NORM_MAX = 1.0
WARM_UP_STEPS = 20
VALIDATION_WINDOWS = 16  # for each rank


class Block(nn.Module):
    """Causal self-attention, then a feed-forward layer, each around a residual."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.attention_output = nn.Linear(width, width)
        self.forward_norm = nn.LayerNorm(width)
        self.forward_input = nn.Linear(width, 4 * width)
        self.forward_output = nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x: Tensor) -> Tensor:
        """Transform the hidden state; [B, T, C] in and out."""
        x = x + self.dropout(self.attend(self.attention_norm(x)))
        hidden: Tensor = functional.gelu(self.forward_input(self.forward_norm(x)))
        return x.add(self.dropout(self.forward_output(hidden)))

    def attend(self, x: Tensor) -> Tensor:
        """Let each position gather from those before it; [B, T, C] in and out."""
        parts = self.queries_keys_values(x).chunk(3, dim=-1)
        # each [B, T, C] -> [B, T, H, D] -> [B, H, T, D]
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
        gathered = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        output: Tensor = self.attention_output(gathered.transpose(1, 2).flatten(2))
        return output


class GPT(nn.Module):
    """Decoder-only transformer over bytes."""

    def __init__(self, *, layers: int, width: int, heads: int, context: int) -> None:
        super().__init__()
        self.byte_embedding = nn.Embedding(BYTE_VALUES, width)
        self.position_embedding = nn.Embedding(context, width)
        self.dropout = nn.Dropout(DROPOUT)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, BYTE_VALUES, bias=False)
        self.apply(initialise)

    def forward(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """Return the mean loss of predicting the targets, nats per byte; both are [B, T]."""
        positions = torch.arange(inputs.shape[1], device=inputs.device)
        x = self.dropout(self.byte_embedding(inputs) + self.position_embedding(positions))
        for block in self.blocks:
            x = block(x)
        # of shape [B, T, V]
        logits = self.head(self.norm(x))
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def initialise(module: nn.Module) -> None:
    """Set a layer's first weights."""
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)


def make_mesh(device: torch.device, *, world_size: int, replicas: int) -> DeviceMesh:
    """Lay out the ranks: sharded over all of them, or replicas of sharded groups."""
    if replicas == 1:
        return init_device_mesh(device.type, (world_size,), mesh_dim_names=("shard",))
    sizes = (replicas, world_size // replicas)
    return init_device_mesh(device.type, sizes, mesh_dim_names=("replica", "shard"))


def learning_rate_factor(step: int, *, steps: int) -> float:
    """Rise linearly, then fall along a cosine to a tenth."""
    if step < WARM_UP_STEPS:
        return (step + 1) / WARM_UP_STEPS
    progress = min(1.0, (step - WARM_UP_STEPS) / max(1, steps - WARM_UP_STEPS))
    return 0.1 + 0.45 * (1 + math.cos(math.pi * progress))


@torch.no_grad()
def validate(model: nn.Module, windows: Windows, *, device: torch.device) -> Tensor:
    """Return the loss on held-out text, the same windows every time, averaged over the ranks."""
    rank, world_size = dist.get_rank(), dist.get_world_size()
    count = VALIDATION_WINDOWS * world_size
    samples = [windows[place * len(windows) // count] for place in range(rank, count, world_size)]
    inputs, targets = (torch.stack(part).to(device) for part in zip(*samples, strict=True))
    model.eval()
    loss: Tensor = model(inputs, targets)
    model.train()
    dist.all_reduce(loss)
    return loss / world_size


def main() -> None:
    """Train."""
    options = parse_options()
    run = hotswap.join(seed=options.seed)  # hotswap 2: instead of init_process_group
    device = torch.device(options.device) if options.device else run.device
    mesh = make_mesh(device, world_size=run.world_size, replicas=options.replicas)

    torch.manual_seed(options.seed)
    model = GPT(
        layers=options.layers, width=options.width, heads=options.heads, context=options.context
    ).to(device)
    for module in (*model.blocks, model):
        fully_shard(module, mesh=mesh)
    optimizer = AdamW(model.parameters(), lr=options.learning_rate, betas=(0.9, 0.95))
    scheduler = LambdaLR(optimizer, partial(learning_rate_factor, steps=options.steps))

    corpus = read_corpus()
    validation = Windows(corpus.validation, options.context)
    data = hotswap.Loader(
        Windows(corpus.training, options.context),
        batch_size=options.batch,
        micro_batches=options.micro_batches,
    )
    run.protect(model=model, optimizer=optimizer, scheduler=scheduler, data=data)  # hotswap 3

    for step in run.steps(options.steps):  # hotswap 4: instead of range(steps)
        with step:  # hotswap 5: what is inside is repeated if the step has to be
            if step.index % options.validate_every == 0:
                step.report(validation_loss=validate(model, validation, device=device))
            total = torch.zeros((), device=device)
            for _ in range(options.micro_batches):
                inputs, targets = (part.to(device) for part in step.batch())
                loss = model(inputs, targets) / options.micro_batches
                loss.backward()
                total += loss.detach()
            clip_grad_norm_(model.parameters(), GRADIENT_NORM_MAX)
            step.commit(total)  # hotswap 6: instead of steps of optimizer and scheduler, zero_grad
            if run.rank == 0 and step.values:
                validation_loss = step.values["validation_loss"]
                print(f"step {step.index}: loss {total:.3f}, validation {validation_loss:.3f}")


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=256, help="of the hidden state")
    parser.add_argument("--heads", type=int, default=4, help="of attention")
    parser.add_argument("--context", type=int, default=128, help="bytes that the model sees")
    parser.add_argument("--batch", type=int, default=4, help="windows in a micro-batch of a rank")
    parser.add_argument("--micro-batches", type=int, default=1, help="in a step")
    parser.add_argument("--learning-rate", type=float, default=1e-3, help="at its highest")
    parser.add_argument("--replicas", type=int, default=1, help="of the sharded model")
    parser.add_argument("--device", help="cpu or cuda; what hotswap finds if left out")
    parser.add_argument("--validate-every", type=int, default=20, metavar="STEPS")
    parser.add_argument("--seed", type=int, default=1234)
    return parser.parse_args()


if __name__ == "__main__":
    main()
