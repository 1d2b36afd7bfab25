"""Buffers: put back exactly on a retry, shipped when they changed, and cheap when they did not."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from hotswap.limits import Limits
from hotswap.runtime.capsule.buffers import BufferWatch
from hotswap.runtime.capsule.tensors import same_bits
from tests.hotswap.runtime.capsule.support import cloned, differing

LIMITS = Limits()
LARGE = LIMITS.buffer_compare_nbytes_max // 4 + 1


class Holder(nn.Module):
    """One buffer of each kind."""

    mask: Tensor
    cache: Tensor
    lazy: Tensor | None
    large: Tensor
    counter: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.register_buffer("mask", torch.ones(3, dtype=torch.bool))
        self.register_buffer("cache", torch.zeros(2), persistent=False)
        self.register_buffer("lazy", None)
        self.register_buffer("large", torch.zeros(LARGE))
        self.register_buffer("counter", torch.zeros((), dtype=torch.int64))

    def forward(self, batch: Tensor) -> Tensor:
        seen: Tensor = self.norm(batch)
        return seen


@pytest.fixture
def model() -> Holder:
    return Holder()


@pytest.fixture
def watch(model: Holder) -> BufferWatch:
    watch = BufferWatch(model, limits=LIMITS)
    watch.snapshot()
    assert len(watch.changed()) == 7
    watch.snapshot()
    assert watch.changed() == []
    return watch


def use(model: Holder) -> None:
    model(torch.randn(5, 4))


def write_in_place(model: Holder) -> None:
    model.cache.add_(1)


def write_from_outside(model: Holder) -> None:
    # as kernels do, without telling the version counter
    model.cache.data[0] = -0.0


def write_a_large_one(model: Holder) -> None:
    model.large[7] = 1


def write_bools(model: Holder) -> None:
    model.mask[1] = False


def replace(model: Holder) -> None:
    model.cache = torch.arange(5.0)


def replace_by_an_equal_one(model: Holder) -> None:
    model.counter = model.counter.clone()


def come_into_being(model: Holder) -> None:
    model.lazy = torch.ones(2)


CHANGES: dict[Callable[[Holder], None], list[str]] = {
    use: ["norm.running_mean", "norm.running_var", "norm.num_batches_tracked"],
    write_in_place: ["cache"],
    write_from_outside: ["cache"],
    write_a_large_one: ["large"],
    write_bools: ["mask"],
    replace: ["cache"],
    replace_by_an_equal_one: ["counter"],
    come_into_being: ["lazy"],
}
every_change = pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)


@every_change
def test_what_changed_is_named(
    model: Holder, watch: BufferWatch, change: Callable[[Holder], None]
) -> None:
    change(model)
    assert sorted(name for name, _ in watch.changed()) == sorted(CHANGES[change])
    live = watch.tensors()
    assert all(tensor.data_ptr() == live[name].data_ptr() for name, tensor in watch.changed())


@every_change
def test_restoring_puts_back_objects_and_bits(
    model: Holder, watch: BufferWatch, change: Callable[[Holder], None]
) -> None:
    objects = {name: id(buffer) for name, buffer in model.named_buffers()}
    before = cloned(watch.tensors())
    persistent = set(model.state_dict())
    for _ in range(2):
        change(model)
        watch.restore()
        assert differing(watch.tensors(), before) == []
        assert {name: id(buffer) for name, buffer in model.named_buffers()} == objects
        assert set(model.state_dict()) == persistent
    assert model.lazy is None


@every_change
def test_what_was_shipped_in_a_failed_attempt_is_shipped_again(
    model: Holder, watch: BufferWatch, change: Callable[[Holder], None]
) -> None:
    state = torch.random.get_rng_state()
    change(model)
    first = {name: tensor.clone() for name, tensor in watch.changed()}
    watch.restore()
    torch.random.set_rng_state(state)
    change(model)
    again = dict(watch.changed())
    assert differing(first, {name: again[name] for name in first}) == []
    watch.snapshot()
    assert watch.changed() == []


@every_change
def test_a_change_after_shipping_is_shipped_with_the_next_step(
    model: Holder, watch: BufferWatch, change: Callable[[Holder], None]
) -> None:
    change(model)
    watch.changed()
    change(model)
    watch.snapshot()
    found = {name for name, _ in watch.changed()}
    # a second write of the same bits is none
    assert found == (set() if change is write_from_outside else set(CHANGES[change]))


def test_nothing_counts_as_shipped_before_the_step_took_force(
    model: Holder, watch: BufferWatch
) -> None:
    write_in_place(model)
    assert [name for name, _ in watch.changed()] == ["cache"]
    assert [name for name, _ in watch.changed()] == ["cache"]


def test_everything_is_shipped_at_first(model: Holder) -> None:
    watch = BufferWatch(model, limits=LIMITS)
    names = {name for name, _ in watch.changed()}
    assert names == {name for name, _ in model.named_buffers()} == set(watch.tensors())


def test_batch_statistics_are_written_behind_the_version_counter(model: Holder) -> None:
    # What the comparison of content is for: were it otherwise, it could go.
    mean = model.norm.running_mean
    assert mean is not None
    before = mean._version
    use(model)
    assert mean._version == before
    assert not same_bits(mean, torch.zeros(4))


def test_unchanged_buffers_are_not_copied_again(model: Holder, watch: BufferWatch) -> None:
    def contents() -> dict[str, int]:
        assert watch._before is not None
        return {
            name: seen.content.data_ptr()
            for name, seen in watch._before.items()
            if seen.content is not None
        }

    before = contents()
    marker = watch._before["large"] if watch._before else None
    for _ in range(3):
        use(model)
        watch.snapshot()
    assert contents() == before
    assert watch._before is not None
    assert watch._before["large"] is marker


def test_a_buffer_that_came_in_the_step_goes_with_it(model: Holder, watch: BufferWatch) -> None:
    model.norm.register_buffer("cache", torch.ones(1), persistent=False)
    watch.restore()
    assert not hasattr(model.norm, "cache")


def test_a_buffer_that_was_deleted_in_the_step_comes_back(
    model: Holder, watch: BufferWatch
) -> None:
    held = model.cache
    del model.cache
    watch.restore()
    assert model.cache is held
    assert "cache" not in model.state_dict()


def test_restoring_needs_a_snapshot(model: Holder) -> None:
    with pytest.raises(RuntimeError, match="call snapshot first"):
        BufferWatch(model, limits=LIMITS).restore()


def test_buffers_made_in_inference_mode_are_watched_too(model: Holder) -> None:
    with torch.inference_mode():
        model.cache = torch.zeros(2)
    watch = BufferWatch(model, limits=LIMITS)
    watch.snapshot()
    with torch.inference_mode():
        model.cache.add_(1)
    assert "cache" in {name for name, _ in watch.changed()}
    watch.restore()
    assert same_bits(model.cache, torch.zeros(2))


def test_frozen_parameters_are_watched(model: Holder) -> None:
    frozen = dict(model.named_parameters())
    watch = BufferWatch(model, limits=LIMITS, frozen=frozen)
    assert {"norm.weight", "norm.bias"} <= set(watch.tensors())
    watch.changed()
    watch.snapshot()
    with torch.no_grad():
        model.norm.weight.mul_(2)
    assert [name for name, _ in watch.changed()] == ["norm.weight"]
    watch.restore()
    assert same_bits(model.norm.weight.detach(), torch.ones(4))


def loaded(source: Holder, target: Holder) -> None:
    tensors = cloned(BufferWatch(source, limits=LIMITS).tensors())
    watch = BufferWatch(target, limits=LIMITS)
    assert watch.misfits(tensors) == []
    watch.load(tensors, device=torch.device("cpu"))
    assert differing(BufferWatch(target, limits=LIMITS).tensors(), tensors) == []


def test_loading_writes_in_place(model: Holder) -> None:
    source = Holder()
    use(source)
    held = model.norm.running_mean
    loaded(source, model)
    assert model.norm.running_mean is held


@pytest.mark.parametrize("change", [replace, come_into_being])
def test_loading_brings_buffers_that_came_in_use(
    model: Holder, change: Callable[[Holder], None]
) -> None:
    source = Holder()
    change(source)
    source.norm.register_buffer("table", torch.randn(2), persistent=False)
    persistent = set(source.state_dict())
    loaded(source, model)
    assert set(model.state_dict()) == persistent


def test_what_has_no_place_or_is_missing_is_named(model: Holder) -> None:
    watch = BufferWatch(model, limits=LIMITS, frozen={"norm.weight": model.norm.weight})
    tensors = cloned(watch.tensors())
    del tensors["mask"]
    tensors["other.cache"] = torch.zeros(1)
    tensors["norm.eps"] = torch.zeros(1)
    tensors["norm.weight"] = torch.zeros(5)
    assert sorted(watch.misfits(tensors)) == ["mask", "norm.eps", "norm.weight", "other.cache"]
