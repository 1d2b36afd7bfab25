"""Train a small convolutional net to tell from which package of the library some bytes come.

::

    hotswap run --ranks 4 --standbys 1 examples/ddp.py
    torchrun --nproc-per-node 2 examples/ddp.py
    python examples/ddp.py

It is an ordinary PyTorch program: DistributedDataParallel, batch normalisation, whose running
statistics change outside of the optimizer, SGD with momentum, and a random augmentation. Six lines
protect it, marked ``# hotswap``; see ``gpt.py`` for what else is Hotswap's.
"""

import argparse
from typing import Final

import torch
import torch.distributed as dist
from corpus import read_package
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel
from torch.optim import SGD
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import Dataset

import hotswap  # hotswap 1: nothing else to import

# Shapes: B batch, T bytes of a chunk, K packages
PACKAGES: Final = (
    *("asyncio", "concurrent", "ctypes", "email", "html", "http"),
    *("importlib", "logging", "multiprocessing", "unittest", "urllib", "xml"),
)
CHUNK: Final = 256
CHUNKS_PER_PACKAGE: Final = 256
VALIDATION_CHUNKS_PER_PACKAGE: Final = 8
#: The last tenth of a package is for validation.
VALIDATION_PART: Final = 0.1


class Chunks(Dataset[tuple[Tensor, Tensor]]):
    """Chunks of bytes, labelled with the number of their package; as many for each package.

    Args:
        texts: for each package, uint8, shape [bytes].
        per_package: chunks of each package, spread evenly over its text.
        shift: move a chunk at random by up to half of its length each time it is read.

    """

    def __init__(self, texts: list[Tensor], *, per_package: int, shift: bool) -> None:
        self._texts = texts
        self._per_package = per_package
        self._shift = shift

    def __len__(self) -> int:
        """Count the chunks."""
        return len(self._texts) * self._per_package

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        """Give one chunk: int64, [T], and the number of its package, int64, []."""
        package, place = index % len(self._texts), index // len(self._texts)
        text = self._texts[package]
        last = len(text) - CHUNK
        start = place * last // self._per_package
        if self._shift:
            start += int(torch.randint(-CHUNK // 2, CHUNK // 2, ()))
        start = min(max(start, 0), last)
        return text[start : start + CHUNK].long(), torch.tensor(package)


class Net(nn.Module):
    """Three convolutions over embedded bytes."""

    def __init__(self, packages: int = len(PACKAGES), *, width: int = 64) -> None:
        super().__init__()
        self.embedding = nn.Embedding(256, 16)
        self.layers = nn.Sequential(
            *convolution(16, width), *convolution(width, width), *convolution(width, 2 * width)
        )
        self.head = nn.Linear(2 * width, packages)

    def forward(self, chunks: Tensor) -> Tensor:
        """Give a score for each package: [B, T] -> [B, K]."""
        hidden = self.layers(self.embedding(chunks).transpose(1, 2))
        scores: Tensor = self.head(hidden.mean(dim=2))
        return scores


def convolution(channels_in: int, channels_out: int) -> tuple[nn.Module, ...]:
    """Give the modules of one layer, which halves the length."""
    return (
        nn.Conv1d(channels_in, channels_out, kernel_size=5, stride=2, padding=2, bias=False),
        nn.BatchNorm1d(channels_out),
        nn.ReLU(),
    )


def read_chunks() -> tuple[Chunks, Chunks]:
    """Read what to learn from, shifted at random, and what to validate on."""
    texts = [read_package(name) for name in PACKAGES]
    ends = [int(len(text) * (1 - VALIDATION_PART)) for text in texts]
    training = [text[:end] for text, end in zip(texts, ends, strict=True)]
    validation = [text[end:] for text, end in zip(texts, ends, strict=True)]
    return (
        Chunks(training, per_package=CHUNKS_PER_PACKAGE, shift=True),
        Chunks(validation, per_package=VALIDATION_CHUNKS_PER_PACKAGE, shift=False),
    )


@torch.no_grad()
def validate(net: nn.Module, chunks: Chunks, *, device: torch.device) -> Tensor:
    """Return the loss on held-out chunks, averaged over all of them; the ranks share them."""
    samples = [
        chunks[index] for index in range(dist.get_rank(), len(chunks), dist.get_world_size())
    ]
    inputs, labels = (torch.stack(part).to(device) for part in zip(*samples, strict=True))
    net.eval()
    loss = functional.cross_entropy(net(inputs), labels, reduction="sum")
    net.train()
    dist.all_reduce(loss)
    return loss / len(chunks)


def main() -> None:
    """Train."""
    options = parse_options()
    run = hotswap.join(seed=options.seed)  # hotswap 2: instead of init_process_group
    device = torch.device(options.device) if options.device else run.device

    torch.manual_seed(options.seed)
    net = Net().to(device)
    model = DistributedDataParallel(net)
    loss_function = nn.CrossEntropyLoss()
    optimizer = SGD(
        model.parameters(),
        lr=options.learning_rate,
        momentum=0.9,
        nesterov=True,
        weight_decay=1e-4,
    )
    scheduler = OneCycleLR(optimizer, max_lr=options.learning_rate, total_steps=options.steps + 1)

    training, validation = read_chunks()
    data = hotswap.Loader(training, batch_size=options.batch, num_workers=options.workers)
    run.protect(model=model, optimizer=optimizer, scheduler=scheduler, data=data)  # hotswap 3

    for step in run.steps(options.steps):  # hotswap 4: instead of range(steps)
        with step:  # hotswap 5: what is inside is repeated if the step has to be
            if step.index % options.validate_every == 0:
                step.report(validation_loss=validate(net, validation, device=device))
            inputs, labels = (part.to(device) for part in step.batch())
            loss = loss_function(model(inputs), labels)
            loss.backward()
            step.commit(loss)  # hotswap 6: instead of steps of optimizer and scheduler, zero_grad
            if run.rank == 0 and step.values:
                validation_loss = step.values["validation_loss"]
                print(f"step {step.index}: loss {loss:.3f}, validation {validation_loss:.3f}")


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=32, help="chunks that a rank sees in a step")
    parser.add_argument("--workers", type=int, default=0, help="processes that read ahead")
    parser.add_argument("--learning-rate", type=float, default=0.1, help="at its highest")
    parser.add_argument("--device", help="cpu or cuda; what hotswap finds if left out")
    parser.add_argument("--validate-every", type=int, default=20, metavar="STEPS")
    parser.add_argument("--seed", type=int, default=1234)
    return parser.parse_args()


if __name__ == "__main__":
    main()
