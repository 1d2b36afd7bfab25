"""What is trained is the same bits in every system, and the digest notices every other bit."""

import torch
from torch import nn

from benchmarks.peers import model as shared
from benchmarks.peers import reference


def step(network: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    optimizer.zero_grad()
    network(shared.Corpus().batch(shared.sample_ids(step=1, rank=0))).backward()
    optimizer.step()


def test_no_two_ranks_or_steps_share_a_sample_and_none_is_left_out() -> None:
    read = [
        sample
        for number in range(1, 20)
        for rank in range(shared.RANKS)
        for sample in shared.sample_ids(step=number, rank=rank)
    ]
    assert read == list(range(len(read)))


def test_a_batch_is_a_function_of_its_sample_numbers() -> None:
    batch = shared.Corpus().batch((3, 4))
    assert batch.shape == (2, shared.CONTEXT + 1)
    assert batch.dtype == torch.int64
    assert 0 <= int(batch.min()) <= int(batch.max()) < shared.VOCABULARY
    assert torch.equal(batch, shared.Corpus().batch((3, 4)))
    assert not torch.equal(batch[0], batch[1])


def test_the_digest_is_that_of_all_bits_of_parameters_and_optimizer() -> None:
    network, optimizer = shared.build()
    fresh = shared.state_digest(network, optimizer)
    step(network, optimizer)
    stepped = shared.state_digest(network, optimizer)
    assert stepped != fresh
    parameter = next(iter(network.parameters()))
    optimizer.state[parameter]["exp_avg"].view(torch.int32).view(-1)[7] ^= 1
    assert shared.state_digest(network, optimizer) != stepped


def test_wrapping_the_model_does_not_change_the_digest() -> None:
    network, optimizer = shared.build()
    step(network, optimizer)
    assert shared.state_digest(nn.Sequential(network), optimizer) == shared.state_digest(
        network, optimizer
    )


def test_the_reference_plays_every_rank_from_the_first_weights_on() -> None:
    result = reference.compute(steps=2)
    losses = result["losses"]
    assert isinstance(losses, list)
    network, _ = shared.build()
    batches = [shared.Corpus().batch(shared.sample_ids(step=1, rank=rank)) for rank in (0, 1)]
    assert losses[0] == [network(batch).item().hex() for batch in batches]
    assert len(losses) == 2
    assert float.fromhex(losses[1][0]) < float.fromhex(losses[0][0])
