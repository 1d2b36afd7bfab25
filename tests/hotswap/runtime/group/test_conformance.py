"""What every transport must do behind ``backend="hotswap"``: one suite, each transport."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
import torch.distributed as dist

from hotswap.errors import CollectiveUnsupported
from hotswap.runtime.group.names import CARRIED, REFUSED

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from hotswap.runtime.group.process_group import HotswapProcessGroup
    from tests.hotswap.runtime.group.world import World


def _sum() -> dist.AllreduceOptions:
    options = dist.AllreduceOptions()
    options.reduceOp = dist.ReduceOp(dist.ReduceOp.SUM)
    return options


def allreduce(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    tensor = world.tensor(rank, 1)
    group.allreduce([tensor], _sum()).wait()
    return tensor


def allreduce_coalesced(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    tensors = [world.tensor(rank), world.tensor(1)]
    options = dist.AllreduceCoalescedOptions()
    options.reduceOp = dist.ReduceOp(dist.ReduceOp.SUM)
    group.allreduce_coalesced(tensors, options).wait()
    return torch.cat(tensors)


def broadcast(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    tensor = world.tensor(rank)
    options = dist.BroadcastOptions()
    options.rootRank = 2
    group.broadcast([tensor], options).wait()
    return tensor


def reduce(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    tensor = world.tensor(rank + 1)
    options = dist.ReduceOptions()
    options.rootRank = 0
    group.reduce([tensor], options).wait()
    return tensor if rank == 0 else world.tensor(6)


def allgather(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    outputs = [world.tensor(-1) for _ in range(world.size)]
    group.allgather([outputs], [world.tensor(rank)]).wait()
    return torch.cat(outputs)


def allgather_coalesced(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    rows = [[world.tensor(-1)] for _ in range(world.size)]
    group.allgather_coalesced(rows, [world.tensor(rank)]).wait()
    return torch.cat([row[0] for row in rows])


def _gather_single(name: str) -> Callable[[World, HotswapProcessGroup, int], Tensor]:
    def case(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
        output = world.tensor(-1, -1, -1)
        getattr(group, name)(output, world.tensor(rank)).wait()
        return output

    return case


def _gather_single_coalesced(name: str) -> Callable[[World, HotswapProcessGroup, int], Tensor]:
    def case(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
        outputs = [world.tensor(-1, -1, -1), world.tensor(-1, -1, -1)]
        getattr(group, name)(outputs, [world.tensor(rank), world.tensor(rank * 10)]).wait()
        return torch.cat(outputs)

    return case


def _scatter_single(name: str) -> Callable[[World, HotswapProcessGroup, int], Tensor]:
    def case(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
        output = world.tensor(-1)
        options = dist.ReduceScatterOptions()
        getattr(group, name)(output, world.tensor(0, 10, 20) + rank, options).wait()
        return output - rank * 30

    return case


def _scatter_single_coalesced(name: str) -> Callable[[World, HotswapProcessGroup, int], Tensor]:
    def case(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
        outputs = [world.tensor(-1), world.tensor(-1)]
        inputs = [world.tensor(0, 10, 20) + rank, world.tensor(1, 11, 21) + rank]
        getattr(group, name)(outputs, inputs, dist.ReduceScatterOptions()).wait()
        return torch.cat(outputs) - rank * 30

    return case


def reduce_scatter(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    output = world.tensor(-1)
    inputs = [world.tensor(rank), world.tensor(rank + 10), world.tensor(rank + 20)]
    group.reduce_scatter([output], [inputs], dist.ReduceScatterOptions()).wait()
    return output - rank * 30


def gather(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    outputs = [world.tensor(-1) for _ in range(world.size)]
    options = dist.GatherOptions()
    options.rootRank = 1
    group.gather([outputs] if rank == 1 else [], [world.tensor(rank)], options).wait()
    return torch.cat(outputs) if rank == 1 else world.tensor(0, 1, 2)


def scatter(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    output = world.tensor(-1)
    inputs = [world.tensor(0), world.tensor(10), world.tensor(20)]
    options = dist.ScatterOptions()
    options.rootRank = 1
    group.scatter([output], [inputs] if rank == 1 else [], options).wait()
    return output - rank * 10


def alltoall_base(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    output = world.tensor(-1, -1, -1)
    group.alltoall_base(output, world.tensor(0, 1, 2) + rank * 10, [], []).wait()
    return output - rank


def all_to_all_single(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    output = world.tensor(-1, -1, -1)
    group.all_to_all_single(output, world.tensor(0, 1, 2) + rank * 10, [], []).wait()
    return output - rank


def alltoall(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    outputs = [world.tensor(-1) for _ in range(world.size)]
    inputs = [world.tensor(to + rank * 10) for to in range(world.size)]
    group.alltoall(outputs, inputs).wait()
    return torch.cat(outputs) - rank


def send_and_receive(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    tensor = world.tensor(rank)
    received = world.tensor(-1)
    after, before = (rank + 1) % world.size, (rank - 1) % world.size
    sending = group.send([tensor], after, 0)
    group.recv([received], before, 0).wait()
    sending.wait()
    return received - before


def barrier(world: World, group: HotswapProcessGroup, rank: int) -> Tensor:
    del rank
    group.barrier(dist.BarrierOptions()).wait()
    return world.tensor(0)


CASES: dict[str, tuple[Callable[[World, HotswapProcessGroup, int], Tensor], list[float]]] = {
    "allreduce": (allreduce, [3, 3]),
    "allreduce_coalesced": (allreduce_coalesced, [3, 3]),
    "broadcast": (broadcast, [2]),
    "reduce": (reduce, [6]),
    "allgather": (allgather, [0, 1, 2]),
    "allgather_coalesced": (allgather_coalesced, [0, 1, 2]),
    "_allgather_base": (_gather_single("_allgather_base"), [0, 1, 2]),
    "all_gather_single": (_gather_single("all_gather_single"), [0, 1, 2]),
    "all_gather_single_coalesced": (
        _gather_single_coalesced("all_gather_single_coalesced"),
        [0, 1, 2, 0, 10, 20],
    ),
    "allgather_into_tensor_coalesced": (
        _gather_single_coalesced("allgather_into_tensor_coalesced"),
        [0, 1, 2, 0, 10, 20],
    ),
    "_reduce_scatter_base": (_scatter_single("_reduce_scatter_base"), [3]),
    "reduce_scatter_single": (_scatter_single("reduce_scatter_single"), [3]),
    "reduce_scatter_single_coalesced": (
        _scatter_single_coalesced("reduce_scatter_single_coalesced"),
        [3, 6],
    ),
    "reduce_scatter_tensor_coalesced": (
        _scatter_single_coalesced("reduce_scatter_tensor_coalesced"),
        [3, 6],
    ),
    "reduce_scatter": (reduce_scatter, [3]),
    "gather": (gather, [0, 1, 2]),
    "scatter": (scatter, [0]),
    "alltoall": (alltoall, [0, 10, 20]),
    "alltoall_base": (alltoall_base, [0, 10, 20]),
    "all_to_all_single": (all_to_all_single, [0, 10, 20]),
    "send": (send_and_receive, [0]),
    "recv": (send_and_receive, [0]),
    "barrier": (barrier, [0]),
}


def test_every_carried_collective_has_a_case() -> None:
    """A name is added to both, or to neither."""
    assert CASES.keys() == CARRIED


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_collective_gives_every_rank_the_right_values(world: World, name: str) -> None:
    """The result is that of the collective's definition, on each rank."""
    case, expected = CASES[name]
    for result in world.run(lambda rank: case(world, world.groups[rank], rank)):
        assert result.tolist() == expected


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_collective_that_cannot_be_carried_is_refused_by_name(world: World, name: str) -> None:
    """The error names the collective and says what to do instead."""
    with pytest.raises(CollectiveUnsupported, match=name):
        getattr(world.groups[0], name)()


def test_collectives_give_the_same_bits_after_the_group_is_bound_again(world: World) -> None:
    """The order of a reduction depends on ranks alone, not on the connections."""
    values = [torch.randn(1000, generator=torch.Generator().manual_seed(7)) for _ in range(3)]

    def reduced(rank: int) -> Tensor:
        tensor = (values[rank] * (rank + 0.1)).to(world.device)
        world.groups[rank].allreduce([tensor], _sum()).wait()
        return tensor

    before = world.run(reduced)
    for groups in world.epochs:
        groups.close()
    world.bind(2)
    after = world.run(reduced)
    assert all(torch.equal(one, other) for one, other in zip(before, after, strict=True))
