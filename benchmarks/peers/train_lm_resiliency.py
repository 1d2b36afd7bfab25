"""One rank of a job under lm-resiliency: DistributedDataParallel with GEMINI in-memory checkpoints.

The state is copied to host memory and to the peer every few steps. When a rank is killed, the peer
writes what it holds for both as it exits, and the restarted workers read that. SCOUT, which looks
for silent corruption by replaying layers, has no part in this and is off.
"""

import argparse
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from lm_resiliency import (
    InMemoryCkptConfig,
    RecoveryMode,
    enable_resiliency,
)
from torch.nn.parallel import DistributedDataParallel

from benchmarks.peers import model as shared
from benchmarks.peers.probe import Probe, steps_wanted


def main() -> None:
    """Train from the step on that lm-resiliency has recovered."""
    options = _options()
    dist.init_process_group("gloo", timeout=timedelta(seconds=options.collective_timeout_s))
    rank = dist.get_rank()
    network, optimizer = shared.build()
    wrapped = DistributedDataParallel(network)
    resiliency = enable_resiliency(
        wrapped,
        optimizer,
        interval=options.every_steps,
        enable_detection=False,
        checkpoint=InMemoryCkptConfig(
            replication_jump=1,
            disk_flush_interval=0,
            disk_folder=str(options.checkpoints),
            pin_memory=False,
        ),
        device=torch.device("cpu"),
        # found by itself it would be an NCCL one
        group=dist.new_group(backend="gloo"),
        recovery_mode=RecoveryMode.LATEST_GEMINI,
    )
    corpus = shared.Corpus()
    with Probe(slot=rank) as probe:
        for step in range(resiliency.step_count + 1, steps_wanted() + 1):
            samples = shared.sample_ids(step=step, rank=rank)
            optimizer.zero_grad()
            loss = wrapped(corpus.batch(samples))
            probe.computed(step=step, rank=rank, loss=loss.item(), samples=samples)
            loss.backward()
            optimizer.step()
            probe.committed(step=step, rank=rank, ranks=shared.RANKS)
        probe.finished(digest=shared.state_digest(network, optimizer))
    resiliency.close()
    dist.destroy_process_group()


def _options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoints", type=Path, required=True)
    parser.add_argument("--every-steps", type=int, required=True)
    parser.add_argument("--collective-timeout-s", type=float, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
