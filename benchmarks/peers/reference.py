"""The undisturbed run, computed by one process that plays every rank in turn.

Its losses and its final state are what each system is held against. Each system's own undisturbed
run is compared with it as well, so that a difference in arithmetic is not taken for a lost sample.
"""

import json
import sys
from pathlib import Path

import torch

from benchmarks.peers import model as shared


def compute(*, steps: int) -> dict[str, object]:
    """Train ``steps`` steps; return ``losses`` (rows: steps, columns: ranks) and ``digest``."""
    network, optimizer = shared.build()
    corpus = shared.Corpus()
    losses: list[list[str]] = []
    for step in range(1, steps + 1):
        row: list[str] = []
        sums: list[torch.Tensor] | None = None
        for rank in range(shared.RANKS):
            optimizer.zero_grad(set_to_none=True)
            loss = network(corpus.batch(shared.sample_ids(step=step, rank=rank)))
            loss.backward()
            row.append(loss.item().hex())
            gradients = [_gradient(parameter) for parameter in network.parameters()]
            if sums is None:
                sums = [gradient.clone() for gradient in gradients]
            else:
                sums = [total + own for total, own in zip(sums, gradients, strict=True)]
        assert sums is not None
        for parameter, total in zip(network.parameters(), sums, strict=True):
            parameter.grad = total / shared.RANKS
        optimizer.step()
        losses.append(row)
    return {"losses": losses, "digest": shared.state_digest(network, optimizer)}


def _gradient(parameter: torch.Tensor) -> torch.Tensor:
    """Return the gradient of a parameter that took part."""
    if parameter.grad is None:
        raise AssertionError("every parameter of the model takes part in the loss")
    return parameter.grad


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(compute(steps=int(sys.argv[1]))), encoding="utf-8")
