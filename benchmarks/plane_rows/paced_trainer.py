"""A member of a job without tensors that takes steps as they are granted, and writes each one down.

The protocol, its coordinators, its links and its processes are the real ones: what a step computes
is nothing, so that a job can stand still between any two steps of a swap, and start in a second.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Literal

from hotswap.environment import MemberEnvironment

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hotswap.wire import messages
from tests.hotswap.node import fake_trainer

# a machine that runs all of a plane beside it has better things to do than to look so often
fake_trainer.POLL_S = 0.02
#: File in the job's directory: a line for each step that a rank's owner has committed.
STEPS = "steps.jsonl"


class PacedTrainer(fake_trainer.FakeTrainer):
    """A trainer that digests at the step that it is asked for, as a real one does."""

    def __init__(self, environment: MemberEnvironment) -> None:
        super().__init__(environment)
        self._name = environment.member
        self._asked: list[tuple[str, int, int]] = []

    def _advance(self, steps: int) -> None:
        super()._advance(steps)
        due = [each for each in self._asked if each[2] <= self._core.committed]
        self._asked = [each for each in self._asked if each not in due]
        for swap, rank, step in due:
            super()._verified(swap, rank, step, "owner")

    def _verified(self, swap: str, rank: int, step: int, kind: Literal["owner", "mirror"]) -> None:
        if kind == "owner" and step > self._core.committed:
            self._asked.append((swap, rank, step))
        else:
            super()._verified(swap, rank, step, kind)

    def _report_step(self, step: int) -> None:
        line = {"rank": self._core.rank, "step": step, "member": self._name}
        # one write: lines of several members don't mix
        file = os.open(self._directory / STEPS, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(file, json.dumps(line).encode() + b"\n")
        os.close(file)
        committed = messages.Committed(
            epoch=self._core.epoch,
            rank=self._core.rank or 0,
            step=step,
            # flat: how long a swap waits for its approval is nothing that its band knows of
            loss=2.0 + 1 / (10 + step),
            step_s=0.25,
            samples=4,
            protected_by=self._links,
        )
        self._control.send(committed)


if __name__ == "__main__":
    found = MemberEnvironment.from_environment(os.environ)
    assert found is not None, "started by an agent"
    sys.exit(PacedTrainer(found).run())
