"""What one failure costs the coordinator's core in a job of many members, and what it keeps."""

from __future__ import annotations

import argparse
import json
import sys
import time
import tracemalloc

from hotswap.coordinator.core import effects
from hotswap.coordinator.core.coordinator import Coordinator
from hotswap.coordinator.core.events import BecameLeader, Event, Received
from hotswap.limits import Limits
from hotswap.wire import messages
from hotswap.wire.messages import Endpoint, Holding

#: Owners that one standby mirrors: spares are 3 to 5 % of a cluster.
RANKS_PER_STANDBY = 25


def measure(*, members: int = 10_000, repeats: int = 5) -> dict[str, float]:
    """Handle the loss of one owner in a job of ``members`` and return what it took.

    Returns:
        ``handling_ms``: the core's own time from ProcessExited to the effects of Start, all
        reports handled, best of ``repeats``; ``handling_ms_max``: the worst of them;
        ``unwound_us``: of that, one report; ``state_mib``: what the core keeps of the job;
        ``members``: size of the job.

    """
    tracemalloc.start()
    job = SimulatedJob(members)
    state_nbytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    handled = [job.lose_one(rank) for rank in range(repeats)]
    return {
        "members": float(members),
        "handling_ms": min(total for total, _ in handled),
        "handling_ms_max": max(total for total, _ in handled),
        "unwound_us": min(report for _, report in handled),
        "state_mib": state_nbytes / 2**20,
    }


class SimulatedJob:
    """A leader, and members that exist as messages alone."""

    def __init__(self, members: int) -> None:
        """Form a job in which every rank is mirrored and has committed a step."""
        standbys = max(members // (RANKS_PER_STANDBY + 1), 1)
        self.ranks = members - standbys
        self.owners = [f"node-{rank}" for rank in range(self.ranks)]
        self.core = Coordinator(
            job="scale", name="coordinator-0", world_size=self.ranks, limits=Limits()
        )
        self._now = 0.0
        self.handle(BecameLeader(token=1, record=None))
        self.hello("launcher", role="supervisor")
        for standby in range(standbys):
            self.hello(f"standby-{standby}")
        for rank, name in enumerate(self.owners):
            self.hello(name, wanted_rank=rank)
        for rank, names in list(self.core.job.mirrors.items()):
            for name in names:
                self.receive(name, messages.MirrorReport(holding=_copy(rank, version=1)))
        self.commit(0)

    def handle(self, event: Event) -> list[effects.Effect]:
        """Hand an event to the core."""
        self._now += 1e-6
        return self.core.handle(event, self._now)

    def receive(self, sender: str, message: messages.Message) -> list[effects.Effect]:
        """Hand a message to the core."""
        return self.handle(Received(sender=sender, message=message))

    def hello(self, name: str, *, role: str = "member", wanted_rank: int | None = None) -> None:
        """Let a process say hello."""
        self.receive(
            name,
            messages.Hello(
                protocol=messages.PROTOCOL_VERSION,
                job="scale",
                role="member" if role == "member" else "supervisor",
                name=name,
                pid=1,
                wanted_rank=wanted_rank,
                endpoint=Endpoint(host="10.0.0.1", store_port=1, mirror_port=2),
            ),
        )

    def _timed(self, events: list[Received]) -> tuple[float, list[effects.Effect]]:
        """Hand events to the core; return its own time, ms, and the effects of the last one."""
        handle, now, done = self.core.handle, self._now, []
        begun_s = time.process_time()
        for event in events:
            done = handle(event, now)
        return (time.process_time() - begun_s) * 1000, done

    def commit(self, step: int) -> None:
        """Let every owner report a step."""
        epoch = self.core.job.epoch
        for rank, name in enumerate(self.owners):
            self.receive(name, messages.Committed(epoch=epoch, rank=rank, step=step))

    def lose_one(self, rank: int) -> tuple[float, float]:
        """Lose the owner of ``rank``; return the core's time in ms, and that of a report in us."""
        job = self.core.job
        lost, heir, step = self.owners[rank], job.mirrors[rank][0], job.committed
        epoch = job.highest_epoch
        reports: dict[str, messages.Unwound] = {
            name: messages.Unwound(
                epoch=epoch,
                last_epoch=job.epoch,
                holdings=(Holding(rank=r, version=step, pending=True, kind="owner"),),
            )
            for r, name in enumerate(self.owners)
            if name != lost
        }
        mirrored = (r for r, names in job.mirrors.items() if heir in names)
        reports[heir] = messages.Unwound(
            epoch=epoch, holdings=tuple(_copy(r, version=step) for r in mirrored)
        )
        exited = Received(sender="launcher", message=messages.ProcessExited(name=lost, status=-9))
        events = [Received(sender=name, message=each) for name, each in reports.items()]
        dead_ms, _ = self._timed([exited])
        reports_ms, _ = self._timed(events[:-1])
        start_ms, started = self._timed(events[-1:])
        starts = [
            effect
            for effect in started
            if isinstance(effect, effects.Broadcast) and isinstance(effect.message, messages.Start)
        ]
        assert len(starts) == 1, "the next epoch starts with the last report"
        self.owners[rank] = job.seats[rank].member
        assert self.owners[rank] == heir, "the mirror has taken over"
        self.hello(f"standby-of-{lost}")
        self.commit(step)
        return dead_ms + reports_ms + start_ms, reports_ms * 1000 / (len(events) - 1)


def _copy(rank: int, *, version: int) -> Holding:
    return Holding(rank=rank, version=version, pending=True, kind="mirror")


def main(arguments: list[str]) -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--members", type=int, default=10_000)
    options = parser.parse_args(arguments)
    print(json.dumps(measure(members=options.members), indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
