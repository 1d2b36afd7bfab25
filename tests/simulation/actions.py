"""Everything that can happen next in a world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hotswap.wire import messages
from tests.simulation import runtime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.simulation.world import Action, World

#: Actions that are faults, or wishes of an operator: they happen as often as the budget says.
FAULTS = frozenset(
    {"crash", "crash_coordinator", "cut", "usurp", "slow_mirror", "swap", "abort", "respawn"}
)


def possible(world: World) -> Iterator[Action]:
    """Yield the actions, in a fixed order."""
    yield from _of_members(world)
    yield from _of_links(world)
    yield from _of_coordinators(world)
    yield from _faults(world)


def _of_members(world: World) -> Iterator[Action]:
    leader = world.leader()
    for name, node in world.nodes.items():
        if not node.present or name in world.frozen:
            continue
        if name in world.control:
            if world.up[name]:
                yield ("up", name)
            if world.down[name]:
                yield ("down", name)
            if world.control[name] != leader and leader is not None:
                yield ("leave_former", name)
        elif leader is not None and name not in world.cut:
            yield ("connect", name)
        core = node.core
        if not core.running:
            continue
        if node.cast is not None:
            if runtime.is_decided(world, node.cast):
                yield ("see_vote", name)
        elif node.computed is not None and not node.waiting:
            yield ("cast", name)
        if core.switch_decided:
            yield ("boundary", name)
        if node.told_epoch < core.epoch and name in world.control and _peers_are_gone(world, name):
            yield ("peer_lost", name)


def _peers_are_gone(world: World, name: str) -> bool:
    """Whether a collective of the member's epoch fails: a peer is not in the epoch any more."""
    epoch = world.nodes[name].core.epoch
    for peer in world.electorate.get(epoch, ()):
        node = world.nodes[peer]
        if not node.present or node.core.dead_epoch >= epoch:
            return True
    return False


def _of_links(world: World) -> Iterator[Action]:
    for owner, mirror in world.links:
        receiver = world.nodes[mirror]
        if receiver.present and mirror not in world.frozen:
            yield ("bundle", owner, mirror)
    for name, node in world.nodes.items():
        if node.present and name not in world.frozen:
            for mirror in sorted(node.linked):
                if not world.nodes[mirror].present:
                    yield ("link_lost", name, mirror)


def _of_coordinators(world: World) -> Iterator[Action]:
    leader = world.leader()
    for name, office in world.offices.items():
        if not office.alive:
            continue
        if office.core.leading:
            if name in world.seeking:
                yield ("checkpoint", name)
            if name == leader and any(
                not member.connected for member in office.core.job.members.values()
            ):
                yield ("expire", name)
        elif leader is None:
            yield ("elect", name)
    if leader is not None:
        for name in sorted(world.exited):
            yield ("exit_reported", name)
    for name in sorted(world.cut):
        yield ("heal", name)


def _faults(world: World) -> Iterator[Action]:
    budget = world.budget
    present = [name for name, node in world.nodes.items() if node.present]
    if budget.get("crash"):
        yield from (("crash", name) for name in present)
        yield from (
            ("crash_coordinator", name)
            for name, office in world.offices.items()
            if office.alive and office.core.leading
        )
    if budget.get("cut"):
        yield from (("cut", name) for name in present if name not in world.cut)
    leader = world.leader()
    if leader is None:
        return
    if budget.get("usurp"):
        others = ((name, office) for name, office in world.offices.items() if name != leader)
        yield from (("usurp", name) for name, office in others if office.alive)
    if budget.get("slow_mirror"):
        for name in present:
            yield from (
                ("slow_mirror", name, mirror) for mirror in sorted(world.nodes[name].waiting)
            )
    job = world.offices[leader].core.job
    if budget.get("swap") and job.swap is None and job.phase == "running" and job.standbys():
        yield ("swap", "0")
    if budget.get("abort") and job.swap is not None:
        yield ("abort",)
    if budget.get("respawn"):
        yield ("respawn",)


def act(world: World, action: Action) -> None:
    """Let an action happen."""
    kind, *names = action
    if kind in FAULTS:
        spent = "crash" if kind == "crash_coordinator" else kind
        world.budget[spent] -= 1
    _ACTS[kind](world, *names)


def down(world: World, name: str) -> None:
    """Let a member receive the next message of its coordinator."""
    message, *rest = world.down[name]
    world.down[name] = tuple(rest)
    runtime.perform(world, name, world.node(name).core.on_command(message))


def connect(world: World, name: str) -> None:
    """Let a member find the leader."""
    leader = world.leader()
    assert leader is not None, "somebody leads"
    world.connect(name, leader)


def crash(world: World, name: str) -> None:
    """Kill a process; what it has sent and nobody has received is lost."""
    world.node(name).alive = False
    world.frozen -= {name}
    world.exited |= {name}
    if name in world.control:
        world.disconnect(name)
    for key in [key for key in world.links if name in key]:
        del world.links[key]


def crash_coordinator(world: World, name: str) -> None:
    """Kill a coordinator; its connections break."""
    world.office(name).alive = False
    world.seeking -= {name}
    for member in [n for n, c in world.control.items() if c == name]:
        world.disconnect(member)


def cut(world: World, name: str) -> None:
    """Cut a member off from every coordinator."""
    world.cut |= {name}
    if name in world.control:
        world.disconnect(name)


def heal(world: World, name: str) -> None:
    """Let it reach them again."""
    world.cut -= {name}


def link_lost(world: World, name: str, mirror: str) -> None:
    """Let an owner notice that a mirror has gone."""
    runtime.unlink(world, name, mirror)
    node = world.nodes[name]
    if node.core.rank is not None:
        report = messages.ProtectionLost(rank=node.core.rank, mirror=mirror, reason="link lost")
        world.say(name, report)


def swap(world: World, rank: str) -> None:
    """Let an operator ask for a planned swap."""
    world.requests += 1
    world.ask(messages.SwapRequest(request=f"request-{world.requests}", rank=int(rank)))


def abort(world: World) -> None:
    """Let an operator ask that the swap under way be given up."""
    leader = world.leader()
    assert leader is not None, "somebody leads"
    swap_in_flight = world.offices[leader].core.job.swap
    assert swap_in_flight is not None, "a swap is under way"
    world.ask(messages.AbortRequest(swap=swap_in_flight.id))


def respawn(world: World) -> None:
    """Start another standby."""
    world.spawn(f"s{len(world.nodes)}")


_ACTS: dict[str, Callable[..., None]] = {
    "up": lambda world, name: world.deliver_up(name),
    "down": down,
    "leave_former": lambda world, name: world.disconnect(name),
    "connect": connect,
    "see_vote": runtime.see_vote,
    "cast": runtime.cast,
    "boundary": runtime.boundary,
    "peer_lost": runtime.peer_lost,
    "bundle": runtime.deliver_bundle,
    "link_lost": link_lost,
    "slow_mirror": link_lost,
    "checkpoint": lambda world, name: world.answer_checkpoint(name),
    "expire": lambda world, name: world.expire(name),
    "elect": lambda world, name: world.elect(name),
    "usurp": lambda world, name: world.elect(name),
    "exit_reported": lambda world, name: world.report_exit(name),
    "heal": heal,
    "crash": crash,
    "crash_coordinator": crash_coordinator,
    "cut": cut,
    "swap": swap,
    "abort": abort,
    "respawn": respawn,
}
