"""What a training process does with its core's effects, and of its own accord."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from hotswap.coordinator.core import member_effects as effects
from hotswap.coordinator.core.mirror import Verdict
from hotswap.wire import messages
from tests.simulation.node import Copy

if TYPE_CHECKING:
    from hotswap.coordinator.core.member_effects import MemberEffect
    from tests.simulation.node import Node
    from tests.simulation.world import World


def perform(world: World, name: str, todo: list[MemberEffect]) -> None:
    """Carry out what a member's core has decided, in its order."""
    node = world.node(name)
    for effect in todo:
        match effect:
            case effects.Send(message=message):
                world.say(name, message)
            case effects.Apply(step=step):
                world.ghost.voted(world, node, step)
                _apply(world, node, step)
                _say_committed(world, node, step)
            case effects.RollForward(step=step):
                _apply(world, node, step)
            case effects.CommitMirrors(epoch=epoch, step=step):
                for mirror in sorted(node.linked):
                    # What takes the rank over applies the step itself.
                    if (mirror, epoch) != node.handed_over:
                        push(world, name, mirror, "commit", epoch, step)
            case effects.Discard():
                node.computed = node.cast = None
            case effects.Abandon():
                node.computed = node.cast = None
                node.waiting = frozenset()
            case effects.Bind():
                world.electorate[effect.epoch] = tuple(seat.member for seat in effect.roster)
                if effect.background:
                    perform(world, name, node.core.bound(effect.epoch))
                else:
                    compute(world, name)
            case _:
                _change_role(world, node, effect)


def _change_role(world: World, node: Node, effect: MemberEffect) -> None:
    name = node.name
    match effect:
        case effects.Switch(epoch=epoch):
            world.ghost.switched(node, epoch)
            compute(world, name)
        case effects.HandOver(target=target, epoch=epoch, version=version):
            if target in node.linked:
                push(world, name, target, "handover", epoch, version)
                node.handed_over = (target, node.core.epoch)
        case effects.Retire(swap=swap):
            world.ghost.switched(node, node.core.epoch)
            node.computed = node.cast = None
            say_verified(world, node, swap, "owner")
        case effects.BecomeOwner():
            _become_owner(world, node, effect)
        case effects.Restore(step=step):
            node.applied = step
            node.protecting = node.copied = frozenset()
            node.core.restored(node.core.epoch)
            world.ghost.restored(node)
        case effects.PrepareRole(rank=rank):
            perform(world, name, node.core.prepared(rank))
        case effects.DigestState(swap=swap, at_step=step):
            node.digest = (swap, step)
            digest(world, name)
        case effects.LinkMirrors(mirrors=mirrors):
            _link(world, node, frozenset(line.member for line in mirrors))
        case effects.DropMirror(rank=rank):
            node.copies.pop(rank, None)
        case effects.Leave(code=code):
            world.ghost.left(node, code)
            leave(world, name, code)


def leave(world: World, name: str, why: str) -> None:
    """End a process that is not wanted, or not able, any more."""
    world.node(name).left = why
    if name in world.control:
        world.disconnect(name)


def _apply(world: World, node: Node, step: int) -> None:
    world.ghost.applies(node, step)
    node.applied = step + 1
    node.computed = node.cast = None


def _say_committed(world: World, node: Node, step: int) -> None:
    core = node.core
    assert core.rank is not None, "an owner has a rank"
    report = messages.Committed(
        epoch=core.epoch, rank=core.rank, step=step, protected_by=tuple(sorted(node.protecting))
    )
    world.say(node.name, report)


def _become_owner(world: World, node: Node, effect: effects.BecomeOwner) -> None:
    copy = node.copies.pop(effect.rank, None)
    if effect.fresh:
        node.applied = 0
    else:
        world.ghost.taken_over(node, copy, apply_pending=effect.apply_pending)
        assert copy is not None, "the ghost has looked"
        node.applied = copy.applied + int(effect.apply_pending)
    world.ghost.owns(node, effect.version)
    if effect.swap:
        say_verified(world, node, effect.swap, "mirror")
    node.linked = node.protecting = node.copied = frozenset()


def say_verified(world: World, node: Node, swap: str, kind: Literal["owner", "mirror"]) -> None:
    """Tell the digest of the state that was handed over, or taken over."""
    core = node.core
    assert core.rank is not None, "an owner has a rank, or had"
    digest = messages.Verified(
        swap=swap, rank=core.rank, step=core.committed, kind=kind, digest=f"{node.applied}"
    )
    world.say(node.name, digest)


def _link(world: World, node: Node, wanted: frozenset[str]) -> None:
    """Connect to the mirrors that are assigned, and to no others."""
    for mirror in sorted(node.linked - wanted):
        unlink(world, node.name, mirror)
    for mirror in sorted(wanted - node.linked):
        if mirror in world.nodes and world.nodes[mirror].present:
            node.linked |= {mirror}


def unlink(world: World, name: str, mirror: str) -> None:
    """Drop a mirror; what is under way to it is lost."""
    node = world.node(name)
    world.links.pop((name, mirror), None)
    node.linked -= {mirror}
    node.protecting -= {mirror}
    node.copied -= {mirror}
    if mirror in node.waiting:
        node.waiting -= {mirror}
        _cast_if_acknowledged(world, node)


# ------------------------------------------------------------------------------------- a step


def compute(world: World, name: str) -> None:
    """Compute the gradients of the next step and send them to the mirrors."""
    node = world.node(name)
    core = node.core
    step = core.committed
    if not core.running or core.switch_decided:
        return
    if step >= world.steps or node.computed is not None:
        return
    digest(world, name)
    node.computed = (core.epoch, step)
    node.protecting |= node.copied
    node.copied = frozenset()
    for mirror in sorted(node.linked):
        if mirror not in node.protecting and not _is_being_copied(world, name, mirror):
            push(world, name, mirror, "copy", core.epoch, step)
        push(world, name, mirror, "gradients", core.epoch, step)
    if world.compare_every_steps and step % world.compare_every_steps == 0:
        for mirror in sorted(node.protecting):
            push(world, name, mirror, "digest:", core.epoch, step)
    node.waiting = node.protecting


def _is_being_copied(world: World, name: str, mirror: str) -> bool:
    return any(kind == "copy" for kind, _, _ in world.links.get((name, mirror), ()))


def may_cast(node: Node) -> bool:
    """Whether every mirror that protects the rank has acknowledged the step's gradients."""
    return not node.waiting


def _cast_if_acknowledged(world: World, node: Node) -> None:
    if node.computed is not None and node.cast is None and may_cast(node):
        cast(world, node.name)


def cast(world: World, name: str) -> None:
    """Put this rank's ballot into the vote; it can't be taken back."""
    node = world.node(name)
    if node.computed is None or node.cast is not None:
        return
    epoch, step = node.computed
    if not node.core.gradients_acknowledged(step=step, mirrors=node.protecting):
        return
    ballot = node.core.ballot()
    if ballot is None or ballot.epoch != epoch:
        return
    world.ghost.cast(world, node, ballot)
    node.cast = (epoch, step)
    world.ballots.setdefault((epoch, step), {})[name] = (ballot.ready, ballot.next_epoch)


def is_decided(world: World, vote: tuple[int, int]) -> bool:
    """Whether every rank has put in its ballot."""
    votes = world.ballots.get(vote, {})
    return all(name in votes for name in world.electorate[vote[0]])


def see_vote(world: World, name: str) -> None:
    """Let a member see the result of the vote that it takes part in."""
    node = world.node(name)
    assert node.cast is not None, "there is an open vote"
    epoch, _ = node.cast
    cast_ballots = world.ballots[node.cast]
    votes = [cast_ballots[name] for name in world.electorate[epoch] if name in cast_ballots]
    ready = all(each[0] for each in votes)
    next_epoch = min(each[1] for each in votes)
    node.cast = None
    perform(
        world,
        name,
        node.core.on_vote(epoch=epoch, ready=ready, next_epoch=next_epoch, ended_s=0.0),
    )
    compute(world, name)


def boundary(world: World, name: str) -> None:
    """Let a planned swap take force on a member."""
    perform(world, name, world.node(name).core.at_boundary())


def digest(world: World, name: str) -> None:
    """Digest the state for a planned swap, here and on the mirror, at a boundary."""
    node = world.node(name)
    if node.digest is None or node.core.rank is None or node.core.committed < node.digest[1]:
        return
    swap, _ = node.digest
    node.digest = None
    rank, step = node.core.rank, node.core.committed
    value = f"{node.applied}"
    world.say(name, messages.Verified(swap=swap, rank=rank, step=step, kind="owner", digest=value))
    for mirror in sorted(node.protecting):
        push(world, name, mirror, f"digest:{swap}", node.core.epoch, step)


def peer_lost(world: World, name: str) -> None:
    """Let a member notice that a collective fails."""
    node = world.node(name)
    node.told_epoch = node.core.epoch
    perform(world, name, node.core.peer_lost(epoch=node.core.epoch, detail="a collective failed"))


# -------------------------------------------------------------------------------- mirror links


def push(world: World, owner: str, mirror: str, kind: str, epoch: int, step: int) -> None:
    """Put a bundle on a mirror link."""
    key = (owner, mirror)
    world.links[key] = (*world.links.get(key, ()), (kind, epoch, step))


def deliver_bundle(world: World, owner: str, mirror: str) -> None:
    """Let a mirror take the next bundle of an owner; its receipt is back at once."""
    key = (owner, mirror)
    (kind, epoch, step), *rest = world.links[key]
    if rest:
        world.links[key] = tuple(rest)
    else:
        del world.links[key]
    rank = world.nodes[owner].core.rank
    assert rank is not None, "an owner has a rank"
    node = world.node(mirror)
    if kind == "handover":
        perform(world, mirror, node.core.on_handover(rank=rank, epoch=epoch, version=step))
    elif rank != node.core.rank:
        _mirror(world, owner, node, rank, kind, epoch, step)


def _mirror(
    world: World, owner: str, node: Node, rank: int, kind: str, epoch: int, step: int
) -> None:
    core = node.core.mirror(rank)
    copy = node.copies.get(rank, Copy(applied=-1))
    if kind == "copy":
        if core.describe(epoch=epoch, version=step) is Verdict.TAKE:
            core.copied(epoch=epoch, complete=True)
            applied = world.nodes[owner].applied
            assert applied is not None, "an owner has a state"
            # The units were read when the bundle was made.
            node.copies[rank] = Copy(applied=step)
            _say_report(world, node, rank)
            _protect(world, owner, node.name)
    elif kind == "gradients":
        verdict = core.gradients(epoch=epoch, step=step)
        if verdict is Verdict.TAKE:
            node.copies[rank] = msgspec.structs.replace(copy, held=step)
        _receipt(world, owner, node.name, (epoch, step), verdict)
    elif kind == "commit":
        verdict = core.commit(epoch=epoch, step=step)
        if verdict is Verdict.TAKE:
            world.ghost.mirrors(node, copy, step)
            node.copies[rank] = msgspec.structs.replace(copy, applied=step + 1, held=None)
        elif verdict is Verdict.GAP:
            _unprotect(world, owner, node.name)
    elif core.complete and core.version == step and core.admits(epoch):
        _compare(world, owner, node, rank, kind.removeprefix("digest:"), step)


def _compare(world: World, owner: str, node: Node, rank: int, swap: str, step: int) -> None:
    """Digest the mirror, and tell how it compares with its owner."""
    copy = node.copies[rank]
    mismatched = ("weight",) if copy.flipped else ()
    value = f"{copy.applied}" + "!" * copy.flipped
    if copy.flipped:
        node.core.mirrors[rank].differs()
        node.copies[rank] = msgspec.structs.replace(copy, condemned=True)
        report = messages.CorruptionFound(rank=rank, step=step, tensors=mismatched, where="mirror")
        world.say(node.name, report)
        _unprotect(world, owner, node.name)
    if not swap:
        _say_report(world, node, rank)
        return
    world.say(
        node.name,
        messages.Verified(
            swap=swap, rank=rank, step=step, kind="mirror", digest=value, mismatched=mismatched
        ),
    )


def _say_report(world: World, node: Node, rank: int) -> None:
    holding = node.core.mirrors[rank].holding()
    assert holding is not None, "something was copied"
    world.say(node.name, messages.MirrorReport(holding=holding))


def _protect(world: World, owner: str, mirror: str) -> None:
    """The mirror holds the whole state; from the next step on, the owner waits for it."""
    node = world.node(owner)
    if mirror in node.linked:
        node.copied |= {mirror}


def _unprotect(world: World, owner: str, mirror: str) -> None:
    node = world.node(owner)
    node.protecting -= {mirror}
    node.copied -= {mirror}
    if mirror in node.waiting:
        node.waiting -= {mirror}
        _cast_if_acknowledged(world, node)


def _receipt(
    world: World, owner: str, mirror: str, step: tuple[int, int], verdict: Verdict
) -> None:
    node = world.node(owner)
    if mirror not in node.linked:
        return
    if verdict is Verdict.GAP:
        _unprotect(world, owner, mirror)
    elif verdict is Verdict.TAKE and node.computed == step and mirror in node.waiting:
        node.waiting -= {mirror}
        _cast_if_acknowledged(world, node)
