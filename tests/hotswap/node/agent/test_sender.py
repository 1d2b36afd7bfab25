"""After an hour without a plane a node is heard at once, and tells the rest without hurry."""

from pathlib import Path

import pytest

from hotswap.limits import Limits
from hotswap.node.agent.hosted_jobs import HostedJobs
from hotswap.node.agent.journal import Journal
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.outbox import Outbox, Sample
from hotswap.node.agent.sender import Sender
from hotswap.wire.plane import Inventory, NodeReport

LIMITS = AgentLimits()
HOUR_S = 3600
NODE = NodeReport(inventory=Inventory(hostname="n1"))


class World:
    """A node that is looked at every second, by a clock that a test sets."""

    def __init__(self, folder: Path) -> None:
        self.now_s = 0.0
        self.outbox = Outbox(samples_max=LIMITS.samples_max)
        jobs = HostedJobs(
            folder, node="n1", limits=Limits(), agent_limits=LIMITS, changed=lambda: None
        )
        self.sender = Sender(
            boot="b",
            jobs=jobs,
            journal=Journal(folder, commands_max=10),
            outbox=self.outbox,
            limits=LIMITS,
            clock=lambda: self.now_s,
        )

    def second(self) -> list[str]:
        """Let a second pass, in which the plane takes in all that is sent; return what that was."""
        self.outbox.put(Sample(at=str(round(self.now_s)), node=NODE))
        sent = []
        # the sender is asked as often as the agent does
        for _ in range(round(1 / LIMITS.look_every_s)):
            while (parcel := self.sender.pack(at="now")) is not None:
                sent.append(parcel.report.sent_at)
                self.sender.delivered(parcel)
            self.now_s += LIMITS.look_every_s
        return sent


@pytest.fixture(name="world")
async def _world(tmp_path: Path) -> World:
    return World(tmp_path)


async def test_an_hour_away_costs_the_oldest_samples_and_says_how_many(world: World) -> None:
    for second in range(HOUR_S):
        world.outbox.put(Sample(at=str(second), node=NODE))
    parcel = world.sender.pack(at="now")
    assert parcel is not None
    assert parcel.report.sent_at == str(HOUR_S - 1)
    assert parcel.report.dropped == HOUR_S - LIMITS.samples_max


async def test_what_has_waited_at_most_doubles_what_is_sent(world: World) -> None:
    for second in range(-HOUR_S, 0):
        world.outbox.put(Sample(at=str(second), node=NODE))
    seconds: list[int] = []
    while len(world.outbox):
        sent = world.second()
        # what is new is not held up by what has waited
        assert sent[0] == str(len(seconds))
        seconds.append(len(sent))
    assert max(seconds) <= 3
    assert sum(seconds) - len(seconds) == pytest.approx(LIMITS.samples_max, abs=5)
    assert len(seconds) == pytest.approx(LIMITS.samples_max / LIMITS.catch_up_every_s, rel=0.1)


async def test_without_an_outage_nothing_waits(world: World) -> None:
    assert [world.second() for _ in range(3)] == [["0"], ["1"], ["2"]]
