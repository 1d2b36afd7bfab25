"""How a mirror's copy of a rank comes about, moves on, and knows what it lacks."""

from dataclasses import dataclass

import msgspec
import pytest
import torch
from torch import Tensor

from hotswap.errors import NotProtectable, NumericsDiffer, ReplayGap, StateMismatch
from hotswap.runtime.capsule.optimizers import OptimizerSpec
from hotswap.runtime.capsule.state import RankState
from hotswap.runtime.mirror.replay import Replay
from hotswap.transfer.digest import tensor_digests
from tests.hotswap.runtime.capsule.support import (
    Mirror,
    Network,
    differing,
    forward_backward,
    network,
    optimizer_for,
    protected,
)


@dataclass
class Pair:
    """An owner and its mirror."""

    model: Network
    state: RankState
    mirror: Mirror

    @property
    def replay(self) -> Replay:
        return self.mirror.replay

    @property
    def names(self) -> list[str]:
        return [spec.name for spec in self.state.unit_specs()]

    def step(self) -> None:
        """Take a step on both sides."""
        self.log()
        self.replay.apply()
        self.state.apply()

    def log(self) -> None:
        """Compute gradients and log them."""
        forward_backward(self.model, step=self.state.version)
        self.mirror.log()

    def differing(self) -> list[str]:
        return differing(self.state.unit_tensors(), self.replay.tensors())


@pytest.fixture
def pair() -> Pair:
    model = network()
    state = protected(model, optimizer_for(model))
    return Pair(model=model, state=state, mirror=Mirror(state))


@pytest.fixture
def copied(pair: Pair) -> Pair:
    pair.mirror.copy(pair.names)
    return pair


def test_an_empty_mirror_is_not_complete(pair: Pair) -> None:
    assert not pair.replay.complete
    assert pair.replay.version is None
    assert pair.replay.pending is None
    assert list(pair.replay.missing()) == pair.names


def test_it_is_complete_once_every_unit_is_there_at_one_version(pair: Pair) -> None:
    pair.mirror.copy(pair.names[1:])
    assert pair.replay.missing() == (pair.names[0],)
    assert not pair.replay.complete
    pair.mirror.copy(pair.names[:1])
    assert pair.replay.complete
    assert pair.differing() == []


def test_logging_alone_changes_nothing(copied: Pair) -> None:
    before = copied.replay.digests(tensor_digests)
    copied.log()
    assert copied.replay.pending == 0
    assert copied.replay.version == 0
    assert copied.replay.digests(tensor_digests) == before


def test_a_unit_copied_ahead_waits_for_its_version(pair: Pair) -> None:
    # The mirror's log is two steps behind the owner whose units arrive.
    pair.mirror.copy(pair.names[:1])
    kept = []
    for step in range(2):
        forward_backward(pair.model, step=step)
        kept.append((pair.state.gradients(), pair.state.hyperparameters()))
        pair.state.gradients()
        pair.state.apply()
    pair.mirror.copy(pair.names[1:])
    assert pair.replay.version == 0
    assert list(pair.replay.missing()) == pair.names[1:]
    for step, (gradients, hyperparameters) in enumerate(kept):
        assert not pair.replay.complete
        pair.replay.log(step=step, gradients=gradients, hyperparameters=hyperparameters)
        pair.replay.apply()
    assert pair.replay.complete
    assert pair.differing() == []


def test_a_unit_copied_too_long_ago_is_refused(pair: Pair) -> None:
    spec = pair.state.unit_specs()[0]
    tensors = {
        name: tensor.clone() for name, tensor in pair.state.unit_tensors([spec.name]).items()
    }
    pair.mirror.copy(pair.names[1:])
    pair.step()
    with pytest.raises(ReplayGap, match="copy it again"):
        pair.replay.put_unit(spec, version=0, tensors=tensors)
    assert pair.replay.missing() == (spec.name,)


def test_a_unit_may_come_after_its_gradients_were_logged(pair: Pair) -> None:
    pair.mirror.copy(pair.names[1:])
    pair.log()
    pair.mirror.copy(pair.names[:1])
    pair.replay.apply()
    pair.state.apply()
    assert pair.replay.complete
    assert pair.differing() == []


def test_a_unit_is_copied_and_not_referred_to(pair: Pair) -> None:
    spec = pair.state.unit_specs()[0]
    tensors = {
        name: tensor.clone() for name, tensor in pair.state.unit_tensors([spec.name]).items()
    }
    pair.replay.put_unit(spec, version=0, tensors=tensors)
    for tensor in tensors.values():
        tensor.zero_()
    assert (
        differing(
            pair.state.unit_tensors([spec.name]),
            {name: pair.replay.tensors()[name] for name in tensors},
        )
        == []
    )


def test_a_second_copy_mends_a_unit(copied: Pair) -> None:
    copied.step()
    name = copied.names[0]
    copied.replay.tensors()[name].view(torch.int32)[0, 0] ^= 1
    assert copied.differing() == [name]
    copied.mirror.copy([name])
    assert copied.differing() == []
    copied.step()
    assert copied.differing() == []


def test_older_gradients_are_ignored(copied: Pair) -> None:
    copied.step()
    forward_backward(copied.model, step=0)
    gradients, hyperparameters = copied.state.gradients(), copied.state.hyperparameters()
    assert not copied.replay.log(step=0, gradients=gradients, hyperparameters=hyperparameters)
    assert copied.replay.pending is None


def test_gradients_after_a_gap_are_refused_and_the_copy_stays_what_it_was(copied: Pair) -> None:
    forward_backward(copied.model, step=0)
    gradients, hyperparameters = copied.state.gradients(), copied.state.hyperparameters()
    with pytest.raises(ReplayGap, match="step 1 came to a mirror at version 0"):
        copied.replay.log(step=1, gradients=gradients, hyperparameters=hyperparameters)
    assert copied.replay.version == 0
    assert copied.differing() == []


def test_a_retried_step_replaces_what_was_logged(copied: Pair) -> None:
    copied.log()
    copied.state.discard()
    forward_backward(copied.model, step=5)
    copied.mirror.log()
    copied.replay.apply()
    copied.state.apply()
    assert copied.differing() == []


def test_a_retried_step_may_have_other_units_without_gradient(copied: Pair) -> None:
    # Step 2 uses `rare`, step 0 does not.
    forward_backward(copied.model, step=2)
    copied.mirror.log()
    copied.state.discard()
    copied.step()
    assert copied.differing() == []
    assert "rare.weight/exp_avg" not in copied.replay.tensors()


def test_applying_without_gradients_is_refused(copied: Pair) -> None:
    with pytest.raises(ReplayGap, match="no gradients of step 0"):
        copied.replay.apply()
    copied.log()
    copied.replay.discard()
    with pytest.raises(ReplayGap):
        copied.replay.apply()
    with pytest.raises(ReplayGap):
        copied.replay.pending_gradients()


def test_a_skipped_step_counts_and_changes_nothing(copied: Pair) -> None:
    copied.step()
    before = copied.replay.digests(tensor_digests)
    forward_backward(copied.model, step=1)
    copied.mirror.log(skip=True)
    copied.replay.apply()
    copied.state.apply(skip=True)
    assert copied.replay.digests(tensor_digests) == before
    assert copied.replay.version == 2
    assert copied.replay.complete
    copied.step()
    assert copied.differing() == []


def test_the_same_memory_is_used_in_every_step(copied: Pair) -> None:
    # Step 2 brings the last optimizer state into being.
    for _ in range(3):
        copied.step()

    def addresses() -> dict[str, int]:
        held = {**copied.replay.tensors()}
        held.update({f"gradient of {k}": v for k, v in copied.replay.gradient_buffers().items()})
        return {name: tensor.data_ptr() for name, tensor in held.items()}

    before = addresses()
    for _ in range(6):
        copied.step()
    assert addresses() == before


def test_gradients_may_be_received_in_place(copied: Pair) -> None:
    for _ in range(3):
        forward_backward(copied.model, step=copied.state.version)
        buffers = copied.replay.gradient_buffers()
        assert copied.replay.pending is None
        gradients: list[Tensor | None] = []
        for name, gradient in zip(copied.names, copied.state.gradients(), strict=True):
            gradients.append(None if gradient is None else buffers[name].copy_(gradient))
        copied.replay.log(
            step=copied.state.version,
            gradients=gradients,
            hyperparameters=copied.state.hyperparameters(),
        )
        copied.replay.apply()
        copied.state.apply()
    assert copied.differing() == []


def test_hyperparameters_are_those_of_each_step(copied: Pair) -> None:
    for step in range(4):
        copied.state.hyperparameters()
        for group in copied.state._optimizer.param_groups:
            group["lr"] = 0.01 * (step + 1)
            group["weight_decay"] = 0.1 / (step + 1)
            group["betas"] = (0.9 - step / 10, 0.99)
        copied.step()
    assert copied.differing() == []


def test_a_unit_of_another_rank_is_refused(copied: Pair) -> None:
    other = network()
    other.first = torch.nn.Linear(37, 54)
    state = protected(other, optimizer_for(other))
    spec = next(spec for spec in state.unit_specs() if spec.name == "first.weight")
    with pytest.raises(StateMismatch, match="no unit of this rank") as caught:
        copied.replay.put_unit(spec, version=0, tensors=state.unit_tensors([spec.name]))
    assert caught.value.tensors == ("first.weight",)


def test_a_unit_without_one_of_its_tensors_is_refused_and_nothing_written(copied: Pair) -> None:
    copied.step()
    spec = copied.state.unit_specs()[0]
    tensors = copied.state.unit_tensors([spec.name])
    tensors[spec.name] = tensors[spec.name] + 1
    del tensors[f"{spec.name}/exp_avg"]
    with pytest.raises(StateMismatch) as caught:
        copied.replay.put_unit(spec, version=1, tensors=tensors)
    assert caught.value.tensors == (f"{spec.name}/exp_avg",)
    assert copied.differing() == []


@pytest.mark.parametrize("broken", ["count", "shape", "dtype", "groups"])
def test_gradients_that_do_not_fit_are_refused(copied: Pair, broken: str) -> None:
    forward_backward(copied.model, step=0)
    gradients = copied.state.gradients()
    hyperparameters = copied.state.hyperparameters()
    assert gradients[0] is not None
    if broken == "count":
        gradients.pop()
    elif broken == "shape":
        gradients[0] = gradients[0].t().contiguous()
    elif broken == "dtype":
        gradients[0] = gradients[0].half()
    else:
        hyperparameters = type(hyperparameters)(groups=hyperparameters.groups[:1], threads=1)
    with pytest.raises(StateMismatch):
        copied.replay.log(step=0, gradients=gradients, hyperparameters=hyperparameters)
    assert copied.replay.pending is None


def test_a_flipped_bit_at_rest_is_found_and_named(copied: Pair) -> None:
    copied.step()
    assert copied.replay.scrub(tensor_digests) is None
    assert copied.replay.seal(tensor_digests) == tensor_digests(copied.state.unit_tensors())
    assert copied.replay.scrub(tensor_digests) == ()
    state = copied.replay.tensors()["last.weight/exp_avg_sq"]
    state.view(torch.int32)[0, 7] ^= 1 << 20
    assert copied.replay.scrub(tensor_digests) == ("last.weight/exp_avg_sq",)


def test_a_seal_is_good_for_one_version(copied: Pair) -> None:
    copied.replay.seal(tensor_digests)
    copied.step()
    assert copied.replay.scrub(tensor_digests) is None
    copied.replay.seal(tensor_digests)
    copied.mirror.copy(copied.names[:1])
    assert copied.replay.scrub(tensor_digests) is None


def test_an_empty_mirror_cannot_be_sealed(pair: Pair) -> None:
    with pytest.raises(ReplayGap, match="nothing to seal"):
        pair.replay.seal(tensor_digests)


@pytest.mark.parametrize("field", ["torch_version", "device", "cpu_capability", "default_dtype"])
def test_a_process_that_computes_other_bits_refuses_to_mirror(pair: Pair, field: str) -> None:
    spec = pair.state.optimizer_spec()
    numerics = msgspec.structs.replace(spec.numerics, **{field: "another"})
    foreign = OptimizerSpec(
        kind=spec.kind,
        defaults=spec.defaults,
        groups=spec.groups,
        flags=spec.flags,
        numerics=numerics,
    )
    with pytest.raises(NumericsDiffer, match=f"{field} is another at the owner"):
        Replay(optimizer=foreign, units=pair.state.unit_specs())


def test_an_optimizer_that_is_not_registered_here_is_refused(pair: Pair) -> None:
    spec = pair.state.optimizer_spec()
    foreign = OptimizerSpec(
        kind="script.MyOptimizer",
        defaults=spec.defaults,
        groups=spec.groups,
        flags=spec.flags,
        numerics=spec.numerics,
    )
    with pytest.raises(NotProtectable, match=r"does not know the optimizer script\.MyOptimizer"):
        Replay(optimizer=foreign, units=pair.state.unit_specs())
