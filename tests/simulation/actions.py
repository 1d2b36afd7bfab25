"""Everything that can happen next in a world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from hotswap.wire import messages
from tests.simulation import runtime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.simulation.world import Action, World

#: Actions that are faults, or wishes of an operator: they happen as often as the budget says.
FAULTS = frozenset(
    {
        "abort",
        "crash",
        "crash_coordinator",
        "cut",
        "flip",
        "freeze",
        "glitch",
        "respawn",
        "slow_mirror",
        "suspect",
        "swap",
        "usurp",
    }
)


def possible(world: World) -> Iterator[Action]:
    """Yield the actions, in a fixed order."""
    yield from _of_members(world)
    yield from _of_links(world)
    yield from of_coordinators(world)
    first = min(world.alike, default="")
    for action in faults(world):
        if action[-1] not in world.alike or action[-1] == first:
            yield action


def _of_members(world: World) -> Iterator[Action]:
    leader = world.leader()
    for name in world.nodes:
        yield from of_member(world, name, leader)


def of_member(world: World, name: str, leader: str | None) -> Iterator[Action]:
    """Yield what a training process can do next."""
    node = world.nodes[name]
    if not node.present or name in world.frozen:
        return
    coordinator = world.control.get(name)
    if coordinator is not None:
        if world.up[name]:
            yield ("up", name)
        if world.down[name]:
            yield ("down", name)
        if coordinator != leader and leader is not None:
            yield ("leave_former", name)
    elif leader is not None and name not in world.cut:
        yield ("connect", name)
    core = node.core
    if not core.running:
        return
    if node.cast is not None:
        if runtime.is_decided(world, node.cast):
            yield ("see_vote", name)
    elif node.computed is not None and runtime.may_cast(node):
        yield ("cast", name)
    if core.switch_decided:
        yield ("boundary", name)
    if node.told_epoch < core.epoch and _peers_are_gone(world, name):
        yield ("peer_lost", name)


def _peers_are_gone(world: World, name: str) -> bool:
    """Whether a collective fails for good: a peer is not in the member's epoch any more.

    Left out where nothing comes of it: the leader knows that the epoch is dead, or will hear so.
    """
    epoch = world.nodes[name].core.epoch
    leader = world.control.get(name)
    if leader is None:
        return False
    job = world.offices[leader].core.job
    if job.dead_epoch >= epoch or world.exited:
        return False
    for peer in world.electorate.get(epoch, ()):
        node = world.nodes[peer]
        if not node.present or node.core.dead_epoch >= epoch:
            return True
    return False


def _of_links(world: World) -> Iterator[Action]:
    for link in world.links:
        yield from of_link(world, link)
    for name in world.nodes:
        yield from of_lost_links(world, name)


def of_link(world: World, link: tuple[str, str]) -> Iterator[Action]:
    """Yield what can come of the bundles on a link."""
    mirror = link[1]
    if world.nodes[mirror].present and mirror not in world.frozen:
        yield ("bundle", *link)


def of_lost_links(world: World, name: str) -> Iterator[Action]:
    """Yield what an owner can notice of its mirrors."""
    node = world.nodes[name]
    if node.linked and node.present and name not in world.frozen:
        for mirror in sorted(node.linked):
            if not world.nodes[mirror].present:
                yield ("link_lost", name, mirror)


def of_coordinators(world: World) -> Iterator[Action]:
    """Yield what coordinators, and the network between them and others, can do next."""
    leader = world.leader()
    for name, office in world.offices.items():
        if not office.alive:
            continue
        if office.core.leading:
            if name in world.seeking:
                yield ("checkpoint", name)
            if name == leader and _absent_are_gone(world, name):
                yield ("expire", name)
        elif leader is None:
            yield ("elect", name)
    if leader is not None:
        for name in sorted(world.exited):
            yield ("exit_reported", name)
    for name in sorted(world.cut):
        yield ("heal", name)
    for name in sorted(world.frozen):
        yield ("thaw", name)


def _absent_are_gone(world: World, coordinator: str) -> bool:
    """Whether whoever has no connection will not have one soon."""
    members = world.offices[coordinator].core.job.members.values()
    absent = [member.name for member in members if not member.connected]
    return bool(absent) and all(
        name in world.cut or name in world.frozen or not world.nodes[name].present
        for name in absent
    )


def faults(world: World) -> Iterator[Action]:
    """Yield the faults, and the wishes of an operator, that the budget allows."""
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
    if budget.get("freeze"):
        yield from (("freeze", name) for name in present if name not in world.frozen)
    if budget.get("flip"):
        for name in present:
            yield from (("flip", name, str(rank)) for rank in world.nodes[name].copies)
    leader = world.leader()
    if leader is None:
        return
    if budget.get("glitch"):
        # A collective fails though everybody lives, or before it is known that somebody does not.
        for name, node in world.nodes.items():
            if node.present and node.core.running and node.told_epoch < node.core.epoch:
                yield ("glitch", name)
    if budget.get("suspect"):
        job = world.offices[leader].core.job
        if not all(member.connected for member in job.members.values()):
            yield ("suspect", leader)
    if budget.get("usurp"):
        others = ((name, office) for name, office in world.offices.items() if name != leader)
        yield from (("usurp", name) for name, office in others if office.alive)
    if budget.get("slow_mirror"):
        for name in present:
            yield from (
                ("slow_mirror", mirror, name) for mirror in sorted(world.nodes[name].waiting)
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
        if not world.alike.isdisjoint(names):
            world.alike = frozenset()
    _ACTS[kind](world, *names)


def down(world: World, name: str) -> None:
    """Let a member receive the next message of its coordinator."""
    message = world.down[name][0].message
    world.down[name] = world.down[name][1:]
    world.receive_down(name, message)


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
    leader = world.leader()
    if leader is not None:
        # That it takes no step for a while before it dies is covered without: it may just be slow.
        world.report_exit(name)
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


def freeze(world: World, name: str) -> None:
    """Stop a process; what is sent to it waits."""
    world.frozen |= {name}


def thaw(world: World, name: str) -> None:
    """Let it go on."""
    world.frozen -= {name}


def flip(world: World, name: str, rank: str) -> None:
    """Flip a bit of a mirror."""
    node = world.node(name)
    node.copies[int(rank)] = msgspec.structs.replace(node.copies[int(rank)], flipped=True)


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
    "glitch": runtime.peer_lost,
    "bundle": runtime.deliver_bundle,
    "link_lost": link_lost,
    "slow_mirror": lambda world, mirror, name: link_lost(world, name, mirror),
    "checkpoint": lambda world, name: world.answer_checkpoint(name),
    "expire": lambda world, name: world.expire(name),
    "elect": lambda world, name: world.elect(name),
    "suspect": lambda world, name: world.expire(name),
    "usurp": lambda world, name: world.elect(name),
    "exit_reported": lambda world, name: world.report_exit(name),
    "heal": heal,
    "freeze": freeze,
    "thaw": thaw,
    "flip": flip,
    "tick": lambda world, seconds: world.pass_time(float(seconds)),
    "crash": crash,
    "crash_coordinator": crash_coordinator,
    "cut": cut,
    "swap": swap,
    "abort": abort,
    "respawn": respawn,
}
