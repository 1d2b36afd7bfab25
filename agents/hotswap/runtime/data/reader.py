"""Reads one micro-batch: in a worker process, or in the training process, with the same bits."""

import traceback
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

from hotswap.runtime.data.feed import BatchRequest
from hotswap.runtime.data.seeds import derive_seed, host_generators

#: Seeds of reading data are independent of those of computing a step.
STREAM: Final = "data"

#: End of a traceback that is carried from a worker process into the error's message.
TRACEBACK_CHARACTERS_MAX: Final = 8_000


class MapDataset(Protocol):
    """A data set that gives its samples by index, as ``torch.utils.data.Dataset`` does.

    A method ``__getitems__(indices: list[int])`` is used where there is one.
    """

    def __len__(self) -> int:
        """Count the samples; the same number on every node."""
        ...

    def __getitem__(self, index: int, /) -> Any:  # noqa: ANN401 - the script's own type
        """Give the sample ``index``."""
        ...


#: Makes one batch of a list of samples.
Collate = Callable[[list[Any]], Any]


class Reply(NamedTuple):
    """A micro-batch as read, or why it was not."""

    # the request's generation
    generation: int
    # what the collate function made of the samples; None if they could not be read
    batch: Any
    # traceback of the data set's own error; empty if there was none
    failure: str = ""

    @classmethod
    def of_failure(cls, request: BatchRequest) -> "Reply":
        """Tell of the exception that is being handled."""
        return cls(request.generation, None, traceback.format_exc()[-TRACEBACK_CHARACTERS_MAX:])


class BatchReader:
    """Reads what a request names.

    Args:
        dataset: the script's data set.
        collate: makes a batch of samples.
    """

    def __init__(self, *, dataset: MapDataset, collate: Collate) -> None:
        self._dataset = dataset
        self._collate = collate

    def read(self, request: BatchRequest) -> Reply:
        """Read one micro-batch, with the random generators seeded for it."""
        seed = derive_seed(
            seed=request.order.seed,
            step=request.step,
            rank=request.rank,
            micro_batch=request.micro_batch,
            stream=STREAM,
        )
        try:
            with host_generators(seed):
                return Reply(request.generation, self._collate(self._samples(request)))
        except Exception:  # noqa: BLE001 - the script's code may raise anything; it is passed on
            return Reply.of_failure(request)

    def _samples(self, request: BatchRequest) -> list[Any]:
        """Read samples one by one, or together if the data set can."""
        sample_ids = request.order.ids(
            step=request.step, rank=request.rank, micro_batch=request.micro_batch
        )
        together = getattr(self._dataset, "__getitems__", None)
        if callable(together):
            return list(together(list(sample_ids)))
        return [self._dataset[sample] for sample in sample_ids]
