"""What every data source promises, held by each of them."""

from collections import Counter
from collections.abc import Callable, Iterator

import pytest
import torch
from torch.utils.data import DataLoader

from hotswap.errors import DataMisused
from hotswap.runtime.data.adapter import from_dataloader
from hotswap.runtime.data.loader import Loader
from hotswap.runtime.data.memory import MemorySource
from hotswap.runtime.data.seeds import seed_process
from hotswap.runtime.data.source import DataSource
from tests.hotswap.runtime.data.datasets import Numbers, draws

LENGTH = 50
BATCH = 3
MICRO_BATCHES = 2
WORLD_SIZE = 4

Make = Callable[[], DataSource]


def memory() -> DataSource:
    return MemorySource(range(LENGTH), batch_size=BATCH, micro_batches=MICRO_BATCHES)


def loader() -> DataSource:
    return Loader(Numbers(LENGTH), batch_size=BATCH, micro_batches=MICRO_BATCHES)


def loader_with_workers() -> DataSource:
    return Loader(Numbers(LENGTH), batch_size=BATCH, micro_batches=MICRO_BATCHES, num_workers=2)


def adapted_dataloader() -> DataSource:
    # typeshed's Dataset has no __len__, a data set that is read by index has one
    numbers: DataLoader[int] = DataLoader(Numbers(LENGTH), batch_size=BATCH, shuffle=True)  # type: ignore[arg-type]
    return from_dataloader(numbers, micro_batches=MICRO_BATCHES)


@pytest.fixture(params=[memory, loader, loader_with_workers, adapted_dataloader])
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    """Make sources of one kind, bound to rank 1, and close them."""
    made: list[DataSource] = []

    def make() -> DataSource:
        source: DataSource = request.param()
        made.append(source)
        source.bind(seed=7, rank=1, world_size=WORLD_SIZE)
        return source

    yield make
    for source in made:
        source.close()


def numbers(source: DataSource, step: int, micro_batch: int) -> tuple[int, ...]:
    """Fetch a micro-batch and show it as plain numbers."""
    return tuple(int(sample) for sample in source.batch(step, micro_batch))


def test_it_has_the_methods_of_the_port(make: Make) -> None:
    assert isinstance(make(), DataSource)


def test_a_step_that_is_repeated_gets_the_same_batches(make: Make) -> None:
    source = make()
    source.seek(4)
    first = [numbers(source, 4, micro_batch) for micro_batch in range(MICRO_BATCHES)]
    again = [numbers(source, 4, micro_batch) for micro_batch in range(MICRO_BATCHES)]
    assert again == first
    assert numbers(source, 4, 0) == first[0]


def test_a_script_that_changes_its_batch_does_not_change_the_repeated_step(make: Make) -> None:
    source = make()
    source.seek(4)
    batch = source.batch(4, 0)
    before = tuple(int(sample) for sample in batch)
    if isinstance(batch, torch.Tensor):
        batch.zero_()
    assert numbers(source, 4, 0) == before


def test_batches_do_not_depend_on_the_way_to_them(make: Make) -> None:
    forward = make()
    forward.seek(0)
    batches = {
        (step, micro_batch): numbers(forward, step, micro_batch)
        for step in range(6)
        for micro_batch in range(MICRO_BATCHES)
    }
    back_and_forth = make()
    for step in (5, 0, 3, 2, 4, 1):
        back_and_forth.seek(step)
        for micro_batch in range(MICRO_BATCHES):
            assert numbers(back_and_forth, step, micro_batch) == batches[step, micro_batch]


def test_a_step_whose_last_batches_were_not_fetched_does_not_shift_the_next(make: Make) -> None:
    source = make()
    source.seek(0)
    numbers(source, 0, 0)
    after_a_short_step = numbers(source, 1, 0)
    source.seek(1)
    assert numbers(source, 1, 0) == after_a_short_step


def test_a_step_consumes_the_samples_that_it_names(make: Make) -> None:
    source = make()
    # also those of a step that was never fetched here
    named = {step: source.sample_ids(step) for step in (0, 1, 1_000)}
    source.seek(1)
    fetched = [numbers(source, 1, micro_batch) for micro_batch in range(MICRO_BATCHES)]
    assert named[1] == tuple(sample for batch in fetched for sample in batch)
    assert source.sample_ids(0) == named[0]
    assert source.sample_ids(1_000) == named[1_000]


def test_all_ranks_together_read_each_sample_once(make: Make) -> None:
    source = make()
    read: Counter[int] = Counter()
    steps = 5
    for rank in range(WORLD_SIZE):
        source.bind(seed=7, rank=rank, world_size=WORLD_SIZE)
        source.seek(0)
        for step in range(steps):
            for micro_batch in range(MICRO_BATCHES):
                read.update(numbers(source, step, micro_batch))
    reads = [read[sample] for sample in range(LENGTH)]
    assert sum(reads) == steps * WORLD_SIZE * MICRO_BATCHES * BATCH
    assert max(reads) - min(reads) <= 1


def test_another_rank_and_another_seed_read_other_samples(make: Make) -> None:
    source = make()
    own = source.sample_ids(0)
    source.bind(seed=7, rank=2, world_size=WORLD_SIZE)
    assert not set(own) & set(source.sample_ids(0))
    source.bind(seed=8, rank=1, world_size=WORLD_SIZE)
    assert source.sample_ids(0) != own


def test_reading_leaves_the_training_step_s_random_numbers_alone(make: Make) -> None:
    source = make()
    seed_process(3)
    expected = draws()
    seed_process(3)
    source.seek(0)
    source.batch(0, 0)
    assert draws() == expected


@pytest.mark.parametrize("micro_batch", [-1, MICRO_BATCHES])
def test_a_micro_batch_beyond_the_step_is_refused(make: Make, micro_batch: int) -> None:
    source = make()
    source.seek(0)
    with pytest.raises(DataMisused):
        source.batch(0, micro_batch)
    assert numbers(source, 0, 0) == source.sample_ids(0)[:BATCH]


@pytest.mark.parametrize("unbound", [memory, loader, loader_with_workers, adapted_dataloader])
def test_data_without_a_rank_is_refused(unbound: Make) -> None:
    source = unbound()
    for use in (
        lambda: source.seek(0),
        lambda: source.batch(0, 0),
        lambda: source.sample_ids(0),
    ):
        with pytest.raises(DataMisused, match=r"run\.protect"):
            use()
    source.close()


def test_closing_twice_is_fine(make: Make) -> None:
    source = make()
    source.seek(0)
    source.batch(0, 0)
    source.close()
    source.close()
