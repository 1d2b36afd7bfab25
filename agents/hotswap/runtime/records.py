"""What an owner writes down beside the training: consumed samples, checkpoints, digests."""

import threading

import msgspec
from torch import Tensor

from hotswap.checkpoint.reader import load_rank
from hotswap.checkpoint.writer import CheckpointWriter
from hotswap.environment import MemberEnvironment
from hotswap.errors import LedgerUnwritable
from hotswap.limits import Limits
from hotswap.runtime.capsule.state import RankState
from hotswap.runtime.capsule.units import UnitSpec
from hotswap.runtime.data.ledger import LedgerWriter
from hotswap.runtime.data.source import DataSource
from hotswap.runtime.mirror.protocol import small_name
from hotswap.transfer.digest import tensor_digests


class _Small(msgspec.Struct, frozen=True, kw_only=True):
    """What a checkpoint's small state consists of: the tensors stand among its buffers."""

    units: tuple[UnitSpec, ...]
    blob: bytes
    tensors: int


class Ledger:
    """Writes one record for each committed step of the rank."""

    def __init__(
        self, environment: MemberEnvironment, *, rank: int, data: DataSource | None, limits: Limits
    ) -> None:
        """Open the file of this owner of ``rank``; without a data source there is nothing to do.

        Raises LedgerUnwritable.
        """
        self._data = data
        self._rank = rank
        self._writer = None
        #: what went wrong last; training goes on, and the audit will name the missing records
        self.last_error: LedgerUnwritable | None = None
        if data is not None:
            self._writer = LedgerWriter(
                directory=environment.job_directory / "ledger",
                rank=rank,
                owner=environment.member,
                limits=limits,
            )

    def record(self, *, epoch: int, step: int) -> int:
        """Record the samples of ``step``, and return how many they were."""
        if self._data is None or self._writer is None:
            return 0
        ids = self._data.sample_ids(step)
        try:
            self._writer.append(epoch=epoch, step=step, rank=self._rank, sample_ids=ids)
        except LedgerUnwritable as error:
            self.last_error = error
        return len(ids)

    def close(self) -> None:
        """Bring what was written to the disk."""
        if self._writer is not None:
            self._writer.close()


class Checkpoints:
    """Captures the rank's state every so many steps, and loads it back."""

    def __init__(
        self, environment: MemberEnvironment, *, rank: int, state: RankState, limits: Limits
    ) -> None:
        """Prepare; no file is made before the first capture."""
        self._every_steps = environment.checkpoint_every_steps
        self._directory = environment.checkpoint_directory
        self._rank = rank
        self._state = state
        self._writer = CheckpointWriter(
            directory=environment.checkpoint_directory,
            job=environment.job,
            rank=rank,
            world_size=environment.world_size,
            limits=limits,
        )

    @property
    def idle(self) -> bool:
        """Whether a capture would be taken now; every rank has to be idle for a whole set."""
        return self._writer.idle

    def due(self, committed: int) -> bool:
        """Whether the state after ``committed`` steps is one to capture."""
        return self._every_steps is not None and committed % self._every_steps == 0

    def capture(self, *, epoch: int) -> None:
        """Copy the state as it is now; a thread writes it."""
        blob, small = self._state.small_state()
        meta = _Small(units=self._state.unit_specs(), blob=blob, tensors=len(small))
        self._writer.capture(
            step=self._state.version,
            epoch=epoch,
            units=self._state.unit_tensors(),
            buffers={
                **self._state.buffers.tensors(),
                **{small_name(i): tensor for i, tensor in enumerate(small)},
            },
            small_state=msgspec.msgpack.encode(meta),
        )

    def restore(self, step: int) -> None:
        """Become the state of the checkpoint of ``step``.

        Raises:
            CheckpointMissing, CheckpointDamaged: it can't be loaded; try an older one.

        """
        loaded = load_rank(self._directory, step=step, rank=self._rank)
        meta = msgspec.msgpack.decode(loaded.small_state, type=_Small)
        buffers = dict(loaded.buffers)
        small = [buffers.pop(small_name(i)) for i in range(meta.tensors)]
        self._state.load(
            version=step,
            units=meta.units,
            tensors=loaded.units,
            buffers=buffers,
            small=(meta.blob, small),
        )

    def close(self) -> None:
        """Wait for the one that is being written."""
        self._writer.close()


class DigestThread:
    """Digests the state between two steps, while the next step's forward and backward run.

    Parameters, optimizer state and small state change in ``apply`` alone, so that they may be
    read until the next one; buffers change in the forward and are copied first.
    """

    def __init__(self) -> None:
        """Nothing is under way."""
        self._thread: threading.Thread | None = None
        self._found: dict[str, str] | None = None

    def start(self, state: RankState) -> None:
        """Digest ``state`` as it is now."""
        self.wait()
        self._found = None
        units = state.unit_tensors()
        buffers = {name: tensor.clone() for name, tensor in state.buffers.tensors().items()}
        self._thread = threading.Thread(
            target=self._run, args=(units, buffers), name="hotswap-digest", daemon=True
        )
        self._thread.start()

    def wait(self) -> None:
        """Wait for the digest that is under way: before the state changes."""
        thread, self._thread = self._thread, None
        if thread is not None:
            # No limit: it only reads memory of this process, and ends when that is read.
            # ast-grep-ignore: bounded-wait
            thread.join()

    def take(self) -> dict[str, str] | None:
        """Wait for the digest and return it once; None when none was started."""
        self.wait()
        found, self._found = self._found, None
        return found

    def _run(self, units: dict[str, Tensor], buffers: dict[str, Tensor]) -> None:
        self._found = {**tensor_digests(units), **tensor_digests(buffers)}
