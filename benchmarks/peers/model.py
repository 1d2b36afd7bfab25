"""The model, the optimizer and the data that every system of the comparison trains.

Shapes: ``B`` samples of one rank per step, ``T`` tokens of a sample, ``D`` width, ``H`` heads.

Everything is a function of (step, rank): the weights of one seed, the samples of their numbers. Two
systems that do the same arithmetic therefore end with the same bits, and a difference means that a
sample was lost, doubled, or weighed otherwise.
"""

import argparse
import hashlib
from collections.abc import Iterable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import AdamW

SEED = 20_260
VOCABULARY = 256
CONTEXT = 32
WIDTH = 256
HEADS = 4
LAYERS = 4
# samples of one rank in one step: under 0.1 s of one core
BATCH = 2
# ranks that train; a spare is not among them
RANKS = 2
LEARNING_RATE = 3e-4
# apart, so that neighbouring sample numbers show different text
_OFFSET_STRIDE = 7_919


class Block(nn.Module):
    """One pre-norm decoder layer: ``(B, T, D)`` to ``(B, T, D)``."""

    def __init__(self) -> None:
        """Create the four matrices and two norms of the layer."""
        super().__init__()
        self.norm_attention = nn.LayerNorm(WIDTH)
        self.query_key_value = nn.Linear(WIDTH, 3 * WIDTH)
        self.projection = nn.Linear(WIDTH, WIDTH)
        self.norm_mlp = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, hidden: Tensor) -> Tensor:
        """Attend to the past, then transform each position."""
        batch, context, width = hidden.shape
        projected = self.query_key_value(self.norm_attention(hidden))
        # (B, T, 3D) -> three of (B, H, T, D/H)
        query, key, value = projected.view(batch, context, 3, HEADS, width // HEADS).permute(
            2, 0, 3, 1, 4
        )
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        hidden = hidden + self.projection(attended.transpose(1, 2).reshape(batch, context, width))
        result: Tensor = hidden + self.mlp(self.norm_mlp(hidden))
        return result


class ByteModel(nn.Module):
    """A decoder-only language model on bytes, 3.3 million parameters."""

    def __init__(self) -> None:
        """Create embeddings, layers and head."""
        super().__init__()
        self.embed_token = nn.Embedding(VOCABULARY, WIDTH)
        self.embed_position = nn.Embedding(CONTEXT, WIDTH)
        self.layers = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the mean next-byte loss of ``tokens``, int64 ``(B, T + 1)``, as a scalar."""
        inputs, targets = tokens[:, :-1], tokens[:, 1:]
        hidden = self.embed_token(inputs) + self.embed_position.weight
        for layer in self.layers:
            hidden = layer(hidden)
        logits = self.head(self.norm(hidden))
        return functional.cross_entropy(logits.reshape(-1, VOCABULARY), targets.reshape(-1))


def build() -> tuple[ByteModel, AdamW]:
    """Return model and optimizer as they are before step 1, the same bits in every process."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(mode=True)
    torch.manual_seed(SEED)
    model = ByteModel()
    return model, AdamW(model.parameters(), lr=LEARNING_RATE)


def sample_ids(*, step: int, rank: int) -> tuple[int, ...]:
    """Return the numbers of the samples that ``rank`` reads for ``step``, both as the job counts.

    Steps count from 1, ranks from 0. No two (step, rank) share a sample.
    """
    first = ((step - 1) * RANKS + rank) * BATCH
    return tuple(range(first, first + BATCH))


class Corpus:
    """Bytes of one module of the standard library, cut into samples."""

    def __init__(self) -> None:
        """Read the module; every Python of one version has the same."""
        text = Path(argparse.__file__).read_bytes()
        self._bytes = torch.frombuffer(bytearray(text), dtype=torch.uint8).long()

    def batch(self, samples: Iterable[int]) -> Tensor:
        """Return the samples of these numbers as int64 ``(B, T + 1)``."""
        window = CONTEXT + 1
        offsets = ((number * _OFFSET_STRIDE) % (len(self._bytes) - window) for number in samples)
        return torch.stack([self._bytes[offset : offset + window] for offset in offsets])


def state_digest(model: nn.Module, optimizer: torch.optim.Optimizer) -> str:
    """Return the SHA-256 of all parameters with their optimizer state, as hexadecimal.

    In the order of ``model.parameters()``, which wrapping a model does not change.
    """
    digest = hashlib.sha256()
    for parameter in model.parameters():
        digest.update(_tensor_bytes(parameter))
        state = optimizer.state[parameter]
        for name in sorted(state):
            digest.update(_tensor_bytes(state[name]))
    return digest.hexdigest()


def _tensor_bytes(tensor: Tensor) -> bytes:
    """Return the bytes of ``tensor`` as they lie in memory."""
    plain = tensor.detach().to(device="cpu").contiguous().reshape(-1)
    return plain.view(torch.uint8).numpy().tobytes()
