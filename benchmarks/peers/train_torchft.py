"""One replica of a torchft job: a replica group of one process, as in the project's own example."""

import argparse
from datetime import timedelta

import torch
from torch import nn
from torch._C._distributed_c10d import TCPStore
from torchft import (
    DistributedDataParallel,
    Manager,
    Optimizer,
    ProcessGroupGloo,
)
from torchft.checkpointing.pg_transport import PGTransport
from torchft.manager import WorldSizeMode

from benchmarks.peers import model as shared
from benchmarks.peers.probe import Probe, steps_wanted, wait_for_slots


def main() -> None:
    """Train until the job has committed all its steps."""
    options = _options()
    network, plain_optimizer = shared.build()

    def state_dict() -> dict[str, object]:
        return {"model": network.state_dict(), "optimizer": plain_optimizer.state_dict()}

    def load_state_dict(state: dict[str, dict[str, object]]) -> None:
        network.load_state_dict(state["model"])
        plain_optimizer.load_state_dict(state["optimizer"])

    group = ProcessGroupGloo(timeout=timedelta(seconds=options.collective_timeout_s))
    store = TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
    manager = Manager(
        pg=group,
        load_state_dict=load_state_dict,
        state_dict=state_dict,
        min_replica_size=shared.RANKS if options.spares else 1,
        world_size_mode=(
            WorldSizeMode.FIXED_WITH_SPARES if options.spares else WorldSizeMode.DYNAMIC
        ),
        timeout=timedelta(seconds=options.manager_timeout_s),
        quorum_timeout=timedelta(seconds=options.quorum_timeout_s),
        connect_timeout=timedelta(seconds=options.manager_timeout_s),
        # the weights are those of one seed: nothing to bring in line at step 0
        init_sync=False,
        rank=0,
        world_size=1,
        store_addr="localhost",
        store_port=store.port,
        hostname="localhost",
        replica_id=f"replica_{options.slot}",
        checkpoint_transport=PGTransport(
            group, timeout=timedelta(seconds=10), device=torch.device("cpu")
        ),
    )
    wrapped = DistributedDataParallel(manager, network) if options.wrapper else network
    _train(manager, wrapped, Optimizer(manager, plain_optimizer), options=options)
    manager.shutdown(wait=False)


def _train(
    manager: Manager, network: nn.Module, optimizer: Optimizer, *, options: argparse.Namespace
) -> None:
    """Run the loop of the project's example; what is read follows from the step and the rank."""
    corpus = shared.Corpus()
    with Probe(slot=options.slot) as probe:
        wait_for_slots(shared.RANKS + options.spares)
        while manager.current_step() < steps_wanted():
            optimizer.zero_grad()
            # so that no sample is read by a rank that is about to change
            manager.wait_quorum()
            # None: what this replica computes is not counted
            rank = manager.participating_rank() if manager.is_participating() else None
            step = manager.current_step() + 1
            samples = shared.sample_ids(step=step, rank=rank or 0)
            loss = network(corpus.batch(samples))
            if rank is not None:
                probe.computed(step=step, rank=rank, loss=loss.item(), samples=samples)
            loss.backward()
            if not options.wrapper:
                _average(manager, network)
            optimizer.step()
            if rank is not None and manager.current_step() == step:
                probe.committed(step=step, rank=rank, ranks=manager.num_participants())
        probe.finished(digest=shared.state_digest(network, optimizer))


def _average(manager: Manager, network: nn.Module) -> None:
    """Average the gradients over the replicas, in one collective.

    The wrappers of the project won't do: ``DistributedDataParallel`` fails in the survivor of a
    killed peer, and ``PureDistributedDataParallel`` waits for none of its collectives, so that the
    optimizer reads gradients that are not averaged yet.
    """
    gradients = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
    flat = torch.cat([gradient.reshape(-1) for gradient in gradients])
    manager.allreduce(flat).wait()
    parts = torch.split(flat, [gradient.numel() for gradient in gradients])
    for gradient, part in zip(gradients, parts, strict=True):
        gradient.copy_(part.view_as(gradient))


def _options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slot", type=int, required=True)
    parser.add_argument("--spares", type=int, default=0)
    parser.add_argument("--wrapper", action="store_true")
    parser.add_argument("--collective-timeout-s", type=float, required=True)
    parser.add_argument("--manager-timeout-s", type=float, required=True)
    parser.add_argument("--quorum-timeout-s", type=float, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
