"""A training script that goes on until it is told its last step, and writes down every attempt.

Run by ``hotswap run``, like ``probe.py``, whose model and data it has. Besides, three files in its
folder tell it what to do; each rank looks for them at every step boundary:

* ``last``: the number of steps of the run. Written before any rank is there, hence agreed.
* ``pace``: seconds to sleep between two steps, so that a new process can start meanwhile.
* ``aim``: ``PLACE:RANK:STEP:NUMBER``, where a rank is to die; see ``aim.py``.

None of them changes a bit of what is computed.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch.nn.utils import clip_grad_norm_

import hotswap
from benchmarks.lab.aim import Aim
from benchmarks.lab.probe import Decoder, Record, Sequences, pace, wrap
from benchmarks.lab.relay import use_own_book

if TYPE_CHECKING:
    from hotswap.runtime.step import Step

#: Steps of a run that nobody has told its end.
ENDLESS = 1 << 40
#: Period of the learning rate, steps: not the length of the run, which is not known at the start.
SCHEDULE_STEPS = 1_000


class Until(int):
    """A number of steps that is read from a file once the file is there.

    Compares as the file says; `Run.steps` does nothing else with it.
    """

    path: Path
    told: int | None

    @classmethod
    def from_file(cls, path: Path) -> Until:
        """Wait for ``path`` to be written."""
        until = cls(ENDLESS)
        until.path, until.told = path, None
        return until

    @property
    def now(self) -> int:
        """The number as it is known now."""
        if self.told is None and self.path.exists():
            self.told = int(self.path.read_text())
        return ENDLESS if self.told is None else self.told

    def __le__(self, other: int) -> bool:
        """Whether ``other`` steps are enough: asked by ``other >= self``."""
        return self.now <= other

    def __gt__(self, other: int) -> bool:
        """Whether more than ``other`` steps are wanted: asked by ``other < self``."""
        return self.now > other


class Attempts:
    """The file of one owner of a rank: one line per attempt at a step."""

    def __init__(self, folder: Path, rank: int) -> None:
        name = os.environ.get("HOTSWAP_MEMBER", f"plain-{rank}")
        self._file = (folder / f"attempts-{rank}.{name}.jsonl").open("a", buffering=1)

    def begun(self, step: Step) -> None:
        """Note the first work at a step: a process that dies in it has said at least that."""
        self._write(begun=step.index, epoch=step.epoch, cpu_s=time.process_time())

    def ended(self, step: Step) -> None:
        """Note what became of it."""
        self._write(ended=step.index, epoch=step.epoch, committed=step.committed)

    def _write(self, **values: object) -> None:
        self._file.write(json.dumps({**values, "at_s": time.monotonic()}) + "\n")


def look_at_aim(aim: Aim, folder: Path, rank: int) -> None:
    """Take in where to die, if a file says so and means this rank."""
    path = folder / "aim"
    if not path.exists():
        return
    place, aimed_rank, step, number = path.read_text().split(":")
    if int(aimed_rank) == rank:
        aim.place, aim.step, aim.mark = place, int(step), folder / f"struck-{number}"


def main() -> None:
    """Train, and write down what became of it."""
    options = parse_options()
    torch.set_num_threads(1)
    use_own_book(options.out)
    run = hotswap.join(seed=options.seed)
    torch.manual_seed(options.seed)
    decoder = Decoder(width=options.width, layers=options.layers)
    model = wrap(decoder, mode=options.mode, world_size=run.world_size)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=SCHEDULE_STEPS)
    data = hotswap.Loader(
        Sequences(samples=options.samples, context=options.context), batch_size=options.batch
    )
    run.protect(model=model, optimizer=optimizer, scheduler=scheduler, data=data)
    aim = Aim(place="", step=-1, mark=options.out / "struck")
    if options.aimed:
        aim.place = "later"  # hooks are set for any place but none
        aim.prepare(decoder)
    record, attempts = Record(options.out, run.rank), Attempts(options.out, run.rank)
    for step in run.steps(options.steps or Until.from_file(options.out / "last")):
        if options.aimed:
            look_at_aim(aim, options.out, run.rank)
            aim.at(step.index)
        with step:
            attempts.begun(step)
            tokens, targets = step.batch()
            loss = model(tokens, targets)
            loss.backward()
            clip_grad_norm_(model.parameters(), 1.0)
            step.commit(loss)
        attempts.ended(step)
        if step.committed:
            record.write(step=step.index, epoch=step.epoch, loss=float(loss.detach()).hex())
        pace(options.out)
    record.write(final=run.digest())


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("fsdp2", "hsdp", "ddp"), default="fsdp2")
    parser.add_argument("--steps", type=int, help="steps of the run (default: as `last` says)")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--context", type=int, default=32)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--samples", type=int, default=1 << 20)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--aimed", action="store_true", help="look for `aim`")
    return parser.parse_args()


if __name__ == "__main__":
    main()
