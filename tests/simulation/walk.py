"""Seeded simulation of larger jobs: the next thing that happens is drawn, faults among it.

Delays are random because the order is; processes crash, freeze and go on, are cut off and come
back; leaders die or are replaced without noticing; operators swap and abort; mirrors corrupt. The
invariants are checked after each event. Then the faults end, and the job has to come to its end.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING, Final

import msgspec

from hotswap.limits import Limits
from tests.simulation import actions, runtime
from tests.simulation.begin import begin
from tests.simulation.checks import Violation, check_owners
from tests.simulation.explore import is_end
from tests.simulation.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.simulation.world import Action

#: Events after the last fault.
CALM_EVENTS_MAX: Final = 6_000
#: Steps that have to be committed after the last fault.
CALM_STEPS: Final = 2
#: Simulations that begin before the job has formed.
_FORMING_SHARE: Final = 0.1
#: Members that connect before time passes.
_PROMPT_SHARE: Final = 0.97
#: Events at which time passes, and of those the ones at which a heartbeat is sent.
_TIME_SHARE: Final = 0.05
_HEARTBEAT_SHARE: Final = 0.3

#: How often each kind of fault, or wish of an operator, may happen; and how likely it may at all.
_FAULTS: Final = {
    "crash": 3,
    "cut": 2,
    "freeze": 2,
    "flip": 2,
    "glitch": 2,
    "usurp": 1,
    "slow_mirror": 2,
    "swap": 4,
    "abort": 1,
    "respawn": 4,
}
_KIND_SHARE: Final = 0.6

#: Time passes in jumps; a member that is silent for ``lease_s`` or away for the grace is lost.
LIMITS: Final = Limits(
    heartbeat_s=0.1,
    disconnect_grace_s=1.0,
    lease_s=3.0,
    prepare_s=200.0,
    swap_s=400.0,
    bind_s=200.0,
    certificate_s=5.0,
    remirror_s=2.0,
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
        self._random = draw = Random(seed)
        ranks, standbys = draw.choice((1, 2, 3, 4, 4, 5, 6, 8)), draw.randint(0, 3)
        if draw.random() < _FORMING_SHARE:
            self.world = world(ranks=ranks, standbys=standbys, steps=0, limits=LIMITS)
        else:
            self.world = _begun(world, ranks, standbys).clone()  # type: ignore[arg-type]  # a class hashes by identity
        # nobody finishes while faults happen
        self.world.steps = 10**6
        self.world.compare_every_steps = 2
        for name, node in list(self.world.nodes.items()):
            if node.core.running:
                runtime.compute(self.world, name)
        self.world.budget = {
            kind: draw.randint(0, most) if draw.random() < _KIND_SHARE else 0
            for kind, most in _FAULTS.items()
        }
        self._fault_share = draw.choice((0.02, 0.05, 0.1))
        self._events = draw.choice((50, 80, 120, 200))
        # a network that is slow to some makes others run ahead
        self._slow = {name: draw.choice((1.0, 1.0, 0.3, 0.1)) for name in self.world.nodes}
        self.world.ghost.notices = {}
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
        while len(self.trace) < self._events:
            if self._random.random() < self._fault_share:
                self._fault()
            else:
                self._event()
        world = self.world
        world.budget = {"respawn": world.ranks}
        world.cut = world.frozen = frozenset()
        self._slow.clear()
        world.steps = CALM_STEPS + max(node.core.committed for node in world.nodes.values())
        for _ in range(CALM_EVENTS_MAX):
            if is_end(world):
                if not self._is_swapping():
                    return
                self._another_step()
            self._event()
        raise Violation(f"the job does not come to its end: {describe(world)}")

    def _is_swapping(self) -> bool:
        """Whether a planned swap waits for a step, or for a moment, to be over."""
        leader = self.world.leader()
        return leader is not None and self.world.offices[leader].core.job.swap is not None

    def _another_step(self) -> None:
        world = self.world
        world.steps += 1
        for name, node in list(world.nodes.items()):
            if node.present:
                runtime.compute(world, name)

    def _act(self, action: Action) -> None:
        self.trace.append(action)
        actions.act(self.world, action)
        check_owners(self.world)

    # ------------------------------------------------------------------------------- an event

    def _event(self) -> None:
        """Let one thing happen that is no fault; draw who is next, and what it does."""
        draw, world = self._random, self.world
        if draw.random() < _TIME_SHARE:
            self._pass_time(draw.choice((0.05, 0.2, 0.6)))
            return
        actors: list[str | tuple[str, str]] = [*world.nodes, *world.links]
        draw.shuffle(actors)
        for actor in actors:
            name = actor if isinstance(actor, str) else actor[1]
            if draw.random() < self._slow.get(name, 1.0) and self._take(self._could(actor)):
                return
        if not self._take(list(actions.of_coordinators(world))):
            self._pass_time(draw.choice((0.05, 0.2, 0.6)))

    def _could(self, actor: str | tuple[str, str]) -> list[Action]:
        world = self.world
        if not isinstance(actor, str):
            return list(actions.of_link(world, actor))
        could = list(actions.of_member(world, actor, world.leader()))
        return could + list(actions.of_lost_links(world, actor))

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
        world, draw = self.world, self._random
        away = [
            name
            for name, node in world.nodes.items()
            if node.present and name not in (*world.control, *world.cut, *world.frozen)
        ]
        if away and world.leader() is not None and draw.random() < _PROMPT_SHARE:
            self._act(("connect", draw.choice(away)))
            return
        if world.control and draw.random() < _HEARTBEAT_SHARE:
            name = draw.choice(sorted(world.control))
            world.say(name, world.nodes[name].core.heartbeat())
        self._act(("tick", str(seconds)))

    # -------------------------------------------------------------------------------- a fault

    def _fault(self) -> None:
        could = list(actions.faults(self.world))
        kinds = sorted({action[0] for action in could})
        if not kinds:
            return
        kind = self._random.choice([*kinds, *(["swap"] * 3 if "swap" in kinds else [])])
        action = self._random.choice([each for each in could if each[0] == kind])
        if kind == "swap":
            action = ("swap", str(self._random.randrange(self.world.ranks)))
        self.walked.faults += 1
        self._act(action)


@cache
def _begun(world: type[World], ranks: int, standbys: int) -> World:
    """Return a job that has begun, every rank protected if there is a standby; to be copied."""
    job = begin(world(ranks=ranks, standbys=standbys, steps=0, limits=LIMITS))
    job.terse, job.unsaid = False, ()
    return job


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
