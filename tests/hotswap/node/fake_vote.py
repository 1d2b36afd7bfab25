"""The vote of fake trainers: files stand in for the all-reduce of the ballots."""

from pathlib import Path

from hotswap.coordinator.core.member_values import Ballot
from tests.hotswap.node.whole_file import write_whole


class FakeVote:
    """Votes of one rank; a vote has a result once every rank of its epoch has cast a ballot."""

    def __init__(self, directory: Path, *, world_size: int) -> None:
        self._directory = directory
        self._world_size = world_size
        # every rank counts the votes of an epoch from its start, so all mean the same one
        self._epoch = 0
        self._number = 0
        self._cast: Ballot | None = None

    def is_open(self, epoch: int) -> bool:
        """Whether this rank has cast a ballot in ``epoch`` whose result is not known yet."""
        return self._cast is not None and self._cast.epoch == epoch

    def cast(self, ballot: Ballot, *, rank: int) -> None:
        """Put ``ballot`` into the next vote; one left over from a dead epoch is forgotten."""
        if ballot.epoch != self._epoch:
            self._epoch, self._number = ballot.epoch, 0
        self._cast = ballot
        write_whole(self._file(rank), f"{int(ballot.ready)} {ballot.next_epoch}")

    def result(self) -> tuple[bool, int] | None:
        """Give (ready, next epoch), each the MIN over the ranks; None: a ballot is missing."""
        files = [self._file(rank) for rank in range(self._world_size)]
        if not all(file.exists() for file in files):
            return None
        ballots = [tuple(map(int, file.read_text().split())) for file in files]
        self._cast = None
        self._number += 1
        return all(ready for ready, _ in ballots), min(epoch for _, epoch in ballots)

    def _file(self, rank: int) -> Path:
        return self._directory / f"vote-{self._epoch}-{self._number}-{rank}"
