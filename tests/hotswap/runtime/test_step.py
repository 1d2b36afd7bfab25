"""What a script may do within a step, and what it is told when it does something else."""

import pytest
import torch
from torch.utils.data import DataLoader

from hotswap.errors import DataMisused, NotProtectable, StepMisused
from hotswap.runtime.data.memory import MemorySource
from hotswap.runtime.run import Run
from hotswap.runtime.solo import Solo
from hotswap.runtime.step import Step
from tests.hotswap.runtime.data.datasets import Numbers

MICRO_BATCHES = 2


def an_unprotected_run(*, micro_batches: int = MICRO_BATCHES) -> Run:
    """Give a run of one rank; its steps are the ones of a protected run."""
    run = Run(rank=0, world_size=1, device=torch.device("cpu"), seed=1, conductor=Solo())
    model = torch.nn.Linear(2, 1)
    data = MemorySource(range(8), batch_size=1, micro_batches=micro_batches)
    run.protect(model=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1), data=data)
    return run


def work(step: Step, *, calls: int) -> None:
    """Read so many micro-batches, and commit."""
    for _ in range(calls):
        step.batch()
    step.commit()


def test_a_step_that_reads_all_of_its_micro_batches_counts() -> None:
    run = an_unprotected_run()
    committed = []
    for step in run.steps(3):
        with step:
            work(step, calls=MICRO_BATCHES)
        committed.append(step.committed)
    assert committed == [True] * 3


@pytest.mark.parametrize("calls", [0, 1])
def test_a_step_that_leaves_micro_batches_out_is_refused(calls: int) -> None:
    step = next(an_unprotected_run().steps(3))
    said = rf"step 0 has {calls} calls of step.batch\(\), and its data micro_batches=2: call it"
    with pytest.raises(DataMisused, match=said), step:
        work(step, calls=calls)
    assert not step.committed


def test_a_step_that_wants_more_micro_batches_is_refused() -> None:
    step = next(an_unprotected_run(micro_batches=1).steps(3))
    said = r"step 0 has more than 1 calls of step.batch\(\), and its data micro_batches=1: call"
    with pytest.raises(DataMisused, match=said), step:
        work(step, calls=2)


def test_a_step_without_a_commit_is_refused() -> None:
    step = next(an_unprotected_run().steps(3))
    with pytest.raises(StepMisused, match=r"call it as the last line inside `with step:`"), step:
        step.batch()


def test_a_data_loader_is_no_data_source_and_the_way_to_make_one_of_it_is_told() -> None:
    run = Run(rank=0, world_size=1, device=torch.device("cpu"), seed=1, conductor=Solo())
    model = torch.nn.Linear(2, 1)
    loader: DataLoader[int] = DataLoader(Numbers(4), batch_size=1)  # type: ignore[arg-type]  # as in test_source
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    said = (
        "data= is a DataLoader, which lacks batch, bind, close, micro_batches, sample_ids, seek: "
        "pass a hotswap.Loader, what hotswap.runtime.data.from_dataloader makes of a DataLoader"
    )
    with pytest.raises(NotProtectable, match=said):
        run.protect(model=model, optimizer=optimizer, data=loader)  # type: ignore[arg-type]  # that is the point
