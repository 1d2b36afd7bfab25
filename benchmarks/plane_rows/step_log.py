"""What the members of a job have written down of its steps, and whether one was lost."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(slots=True, kw_only=True)
class StepLog:
    """Committed steps by rank, in the order in which they were written."""

    # of each rank: (step, member)
    steps: dict[int, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list))
    _nbytes: int = 0

    def read(self, path: Path) -> None:
        """Read what is new."""
        try:
            with path.open("rb") as file:
                file.seek(self._nbytes)
                *lines, _ = file.read().split(b"\n")
        except FileNotFoundError:
            return
        self._nbytes += sum(len(line) + 1 for line in lines)
        self.take(lines)

    def take(self, lines: Iterable[bytes]) -> None:
        """Take in lines."""
        for line in lines:
            said = json.loads(line)
            self.steps[said["rank"]].append((said["step"], said["member"]))

    @property
    def committed(self) -> int:
        """Steps that some rank has committed: as every rank has, or will."""
        return max((each[-1][0] + 1 for each in self.steps.values()), default=0)

    def owner(self, rank: int) -> str | None:
        """Return who has committed the last step of a rank; None: nobody has."""
        return self.steps[rank][-1][1] if self.steps[rank] else None

    def repeated(self) -> int:
        """Count steps of a rank that were committed though it was as far already."""
        return sum(
            later[0] <= earlier[0]
            for each in self.steps.values()
            for earlier, later in pairwise(each)
        )

    def lost(self) -> int:
        """Count steps below the newest that no rank has committed.

        An owner that is killed between a vote and its own line has none for that step, and who
        takes over holds it as a mirror: the other ranks' lines tell of it.
        """
        done = {step for each in self.steps.values() for step, _ in each}
        return self.committed - len(done)
