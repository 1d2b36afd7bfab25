"""Steps that ranks report as committed, folded into one notice a step. Pure."""

import copy
from typing import Final

import msgspec

from hotswap.wire.messages import Committed, Notice

#: Steps that are kept while some ranks have not reported them.
STEPS_MAX: Final = 64


class _Tally(msgspec.Struct, kw_only=True):
    """What has been reported of one step."""

    epoch: int
    # ranks that have reported
    ranks: set[int] = set()
    losses: int = 0
    loss_sum: float = 0.0
    # of the slowest rank; None: nobody has measured it
    step_s: float | None = None
    samples: int = 0
    # sum and number of what scripts reported, by name
    values: dict[str, tuple[float, int]] = {}

    def add(self, report: Committed) -> None:
        if report.rank in self.ranks:
            return  # a lost owner and its successor may both report the step
        self.ranks.add(report.rank)
        self.epoch = max(self.epoch, report.epoch)
        if report.loss is not None:
            self.losses += 1
            self.loss_sum += report.loss
        if report.step_s is not None:
            self.step_s = max(self.step_s or 0.0, report.step_s)
        self.samples += report.samples
        for name, value in report.values.items():
            total, count = self.values.get(name, (0.0, 0))
            self.values[name] = (total + value, count + 1)

    def notice(self, step: int) -> Notice:
        """Mean of the losses and values, over the ranks that reported one."""
        values = {name: total / count for name, (total, count) in self.values.items()}
        if self.losses:
            values["loss"] = self.loss_sum / self.losses
        if self.step_s is not None:
            values["step_s"] = self.step_s
        values["samples"] = float(self.samples)
        values["ranks"] = float(len(self.ranks))
        return Notice(kind="committed", epoch=self.epoch, step=step, values=values)


class Progress(msgspec.Struct, kw_only=True):
    """The latest steps. Adding a report costs the same however many ranks there are."""

    tallies: dict[int, _Tally] = {}
    # steps before it have been told
    told: int = 0

    def add(self, report: Committed, *, world_size: int) -> list[Notice]:
        """Fold in a report; return a notice for each step that is told by it.

        A step is told when every rank has reported it, or when a later one is: a rank that was
        lost without a mirror, or that rolled forward, never reports the step.
        """
        if report.step < self.told:
            return []
        tally = self.tallies.setdefault(report.step, _Tally(epoch=report.epoch))
        tally.add(report)
        if len(tally.ranks) >= world_size:
            return self.flush(report.step + 1)
        return self.flush(self.told + 1) if len(self.tallies) > STEPS_MAX else []

    def flush(self, committed: int) -> list[Notice]:
        """Tell what is known of the steps before ``committed``."""
        steps = sorted(step for step in self.tallies if step < committed)
        self.told = max(self.told, committed)
        return [self.tallies.pop(step).notice(step) for step in steps]

    def go_back(self, step: int) -> None:
        """Tell the steps from ``step`` on anew: the job was restored from a checkpoint."""
        self.tallies.clear()
        self.told = step

    def clone(self) -> "Progress":
        """Return an independent copy."""
        tallies = {step: copy.copy(tally) for step, tally in self.tallies.items()}
        for tally in tallies.values():
            tally.values = tally.values.copy()
            tally.ranks = tally.ranks.copy()
        return Progress(tallies=tallies, told=self.told)
