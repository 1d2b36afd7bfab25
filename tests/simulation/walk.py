"""Seeded simulation of larger jobs: the next thing that happens is drawn, faults among it.

Delays are random because the order is; processes crash, freeze and go on, are cut off and come
back; leaders die or are replaced without noticing; operators swap and abort; mirrors corrupt. The
invariants are checked after each event. Then the faults end, and the job has to come to its end.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

import msgspec

from hotswap.limits import Limits
from tests.simulation import actions
from tests.simulation.checks import Violation, check_owners
from tests.simulation.explore import is_end
from tests.simulation.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulation.world import Action

#: Events with faults, and after the last fault.
EVENTS_MAX: Final = 260
CALM_EVENTS_MAX: Final = 6_000

#: Time passes in jumps; a member that is silent for ``lease_s`` or away for the grace is lost.
LIMITS: Final = Limits(
    heartbeat_s=0.1,
    disconnect_grace_s=1.0,
    lease_s=3.0,
    prepare_s=200.0,
    swap_s=400.0,
    bind_s=200.0,
    certificate_s=5.0,
    replacement_s=1e9,
    barren_epochs_max=1_000,
)


class Walked(msgspec.Struct, kw_only=True):
    """What happened in one simulation."""

    seed: int
    ranks: int
    events: int = 0
    faults: int = 0
    certificates: int = 0
    restores: int = 0
    outcome: str = ""
    notices: dict[str, int] = {}


class Walk:
    """One simulation."""

    def __init__(self, seed: int, *, world: type[World] = World) -> None:
        """Draw a job and its faults from ``seed``."""
        self._random = Random(seed)  # noqa: S311 - a simulation that can be repeated
        draw = self._random
        ranks = draw.choice((1, 2, 3, 4, 4, 5, 6, 8))
        self.world = world(
            ranks=ranks, standbys=draw.randint(0, 3), steps=draw.randint(2, 5), limits=LIMITS
        )
        self.world.ghost.notices = {}
        self.world.budget = {
            "crash": draw.randint(0, 3),
            "cut": draw.randint(0, 2),
            "freeze": draw.randint(0, 2),
            "flip": draw.randint(0, 1),
            "glitch": draw.randint(0, 2),
            "usurp": draw.randint(0, 1),
            "slow_mirror": draw.randint(0, 2),
            "swap": draw.randint(0, 3),
            "abort": draw.randint(0, 1),
            "respawn": draw.randint(0, 4),
        }
        self._fault_share = draw.choice((0.02, 0.05, 0.1))
        # a network that is slow to some makes others run ahead
        self._slow = {name: draw.choice((1.0, 1.0, 0.3, 0.1)) for name in self.world.nodes}
        self.walked = Walked(seed=seed, ranks=ranks)
        self.trace: list[Action] = []

    def run(self) -> Walked:
        """Simulate; raise a Violation that says how to repeat it."""
        try:
            self._run()
        except (AssertionError, KeyError, IndexError) as error:
            latest = "\n".join("  " + " ".join(action) for action in self.trace[-40:])
            raise Violation(
                f"seed {self.walked.seed}, event {len(self.trace)}: {error!r}\nlatest events:\n"
                f"{latest}\nrepeat with: python -m tests.simulation.replay {self.walked.seed}"
            ) from error
        walked, ghost = self.walked, self.world.ghost
        walked.events = len(self.trace)
        walked.certificates, walked.restores = ghost.certificates, ghost.restores
        walked.outcome, walked.notices = ghost.outcome, ghost.notices or {}
        return walked

    def _run(self) -> None:
        while len(self.trace) < EVENTS_MAX and not self._is_over():
            if self._random.random() < self._fault_share:
                self._fault()
            else:
                self._event()
        world = self.world
        world.budget = {"respawn": world.ranks}
        world.cut = world.frozen = frozenset()
        self._slow = dict.fromkeys(world.nodes, 1.0)
        for _ in range(CALM_EVENTS_MAX):
            if self._is_over():
                return
            self._event()
        raise Violation(f"the job does not come to its end: {describe(world)}")

    def _is_over(self) -> bool:
        world = self.world
        return is_end(world) and not any(world.budget.get(kind) for kind in ("crash", "swap"))

    def _act(self, action: Action) -> None:
        self.trace.append(action)
        actions.act(self.world, action)
        check_owners(self.world)

    # ------------------------------------------------------------------------------- an event

    def _event(self) -> None:
        """Let one thing happen that is no fault; draw who is next, and what it does."""
        draw, world = self._random, self.world
        names = list(world.nodes)
        for _ in range(4):
            name = draw.choice(names)
            if draw.random() < self._slow.get(name, 1.0) and self._member(name):
                return
            if world.links:
                link = draw.choice(list(world.links))
                if draw.random() < self._slow.get(link[1], 1.0) and self._take(
                    list(actions.of_link(world, link))
                ):
                    return
        if draw.random() < 0.5 and self._take(list(actions.of_coordinators(world))):
            return
        self._pass_time(draw.choice((0.05, 0.2, 0.6)))

    def _member(self, name: str) -> bool:
        world = self.world
        could = list(actions.of_member(world, name, world.leader()))
        could += actions.of_lost_links(world, name)
        return self._take(could)

    def _take(self, could: Sequence[Action]) -> bool:
        could = [action for action in could if action[0] != "expire"]
        if not could:
            return False
        self._act(self._random.choice(could))
        return True

    def _pass_time(self, seconds: float) -> None:
        """Let time pass: living members are heard of, the others may be declared lost.

        Who is about to connect does so before it counts as lost, but not always.
        """
        world = self.world
        hasty = self._random.random() < 0.02
        for name, node in world.nodes.items():
            if node.present and name in world.control and name not in world.frozen:
                world.say(name, node.core.heartbeat())
                if not hasty:
                    while world.up.get(name):
                        self._act(("up", name))
        away = [
            name
            for name, node in world.nodes.items()
            if node.present and name not in (*world.control, *world.cut, *world.frozen)
        ]
        leader = world.leader()
        if away and leader is not None and not hasty:
            self._act(("connect", self._random.choice(away)))
            return
        self._act(("tick", str(seconds)))

    # -------------------------------------------------------------------------------- a fault

    def _fault(self) -> None:
        could = list(actions.faults(self.world))
        kinds = sorted({action[0] for action in could})
        if not kinds:
            return
        kind = self._random.choice(kinds)
        action = self._random.choice([each for each in could if each[0] == kind])
        if kind == "swap":
            action = ("swap", str(self._random.randrange(self.world.ranks)))
        self.walked.faults += 1
        self._act(action)


def describe(world: World) -> str:
    """Return how a world stands, for whoever has to find out why."""
    lines = []
    for name, node in world.nodes.items():
        core = node.core
        lines.append(
            f"{name}: alive {node.alive} {node.left} {core.phase} rank {core.rank} epoch "
            f"{core.epoch} dead {core.dead_epoch} committed {core.committed} computed "
            f"{node.computed} waiting {set(node.waiting)} cast {node.cast}"
        )
    for name, office in world.offices.items():
        job = office.core.job
        lines.append(
            f"{name}: alive {office.alive} leads {job.leading} {job.phase} epoch {job.epoch} "
            f"dead {job.dead_epoch} committed {job.committed} lost {list(job.lost)} awaited "
            f"{job.recovery and list(job.recovery.awaited)} swap {job.swap and job.swap.phase}"
        )
    return "\n".join(["", *lines])


def walk(seed: int) -> Walked:
    """Simulate one job."""
    return Walk(seed).run()
