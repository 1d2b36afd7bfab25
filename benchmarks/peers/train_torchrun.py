"""One rank of a torchrun job: plain DistributedDataParallel, a checkpoint every few steps.

The checkpoints are those of ``torch.distributed.checkpoint``: one is complete when its metadata are
there, and a restarted job goes on from the newest complete one.
"""

import argparse
from datetime import timedelta
from pathlib import Path

import torch.distributed as dist
from torch.distributed.checkpoint import state_dict_loader, state_dict_saver
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.nn.parallel import DistributedDataParallel
from torch.optim import AdamW

from benchmarks.peers import model as shared
from benchmarks.peers.probe import Probe, steps_wanted


def main() -> None:
    """Train from the newest checkpoint on."""
    options = _options()
    dist.init_process_group("gloo", timeout=timedelta(seconds=options.collective_timeout_s))
    rank = dist.get_rank()
    network, optimizer = shared.build()
    wrapped = DistributedDataParallel(network)
    corpus = shared.Corpus()
    done = _restore(network, optimizer, options.checkpoints)
    with Probe(slot=rank) as probe:
        for step in range(done + 1, steps_wanted() + 1):
            samples = shared.sample_ids(step=step, rank=rank)
            optimizer.zero_grad()
            loss = wrapped(corpus.batch(samples))
            probe.computed(step=step, rank=rank, loss=loss.item(), samples=samples)
            loss.backward()
            optimizer.step()
            probe.committed(step=step, rank=rank, ranks=shared.RANKS)
            if step % options.every_steps == 0:
                _save(network, optimizer, options.checkpoints / f"step-{step:06d}")
        probe.finished(digest=shared.state_digest(network, optimizer))
    dist.destroy_process_group()


def _save(network: shared.ByteModel, optimizer: AdamW, path: Path) -> None:
    """Write a checkpoint, all ranks together."""
    model_state, optimizer_state = get_state_dict(network, optimizer)
    state_dict_saver.save({"model": model_state, "optimizer": optimizer_state}, checkpoint_id=path)


def _restore(network: shared.ByteModel, optimizer: AdamW, directory: Path) -> int:
    """Load the newest complete checkpoint; return its step, 0 when there is none."""
    complete = sorted(path.parent for path in directory.glob("step-*/.metadata"))
    if not complete:
        return 0
    model_state, optimizer_state = get_state_dict(network, optimizer)
    state_dict_loader.load(
        {"model": model_state, "optimizer": optimizer_state}, checkpoint_id=complete[-1]
    )
    set_state_dict(
        network,
        optimizer,
        model_state_dict=model_state,
        optim_state_dict=optimizer_state,
    )
    return int(complete[-1].name.removeprefix("step-"))


def _options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoints", type=Path, required=True)
    parser.add_argument("--every-steps", type=int, required=True)
    parser.add_argument("--collective-timeout-s", type=float, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
