"""One rank, or the standby, of a job under Hotswap: DistributedDataParallel, protected."""

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import hotswap
from benchmarks.peers import model as shared
from benchmarks.peers.probe import Probe, steps_wanted


def main() -> None:
    """Train the steps that are still to do in this process's rank."""
    run = hotswap.join()
    network, optimizer = shared.build()
    wrapped = DistributedDataParallel(network)
    run.protect(model=wrapped, optimizer=optimizer)
    corpus = shared.Corpus()
    with Probe(slot=run.rank) as probe:
        # the last step that this process has computed, and not seen committed
        pending = 0
        for step in run.steps(steps_wanted()):
            number = step.index + 1
            if 0 < pending < number:
                # the vote was lost with the killed rank, and recovery has applied the step
                probe.committed(step=pending, rank=run.rank, ranks=run.world_size)
            samples = shared.sample_ids(step=number, rank=run.rank)
            with step:
                loss = wrapped(corpus.batch(samples))
                probe.computed(step=number, rank=run.rank, loss=loss.item(), samples=samples)
                loss.backward()
                pending = number
                step.commit(loss)
            if step.committed:
                probe.committed(step=number, rank=run.rank, ranks=run.world_size)
                pending = 0
        probe.finished(digest=shared.state_digest(network, optimizer))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
