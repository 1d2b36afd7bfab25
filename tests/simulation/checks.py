"""The protocol's invariants, checked while a world goes on.

The numbers are those of the list in the documentation of the protocol:

1. one owner for each rank and epoch; what is of an older epoch or leader is refused
2. ready only with gradients that are held by the rank and by every mirror that protects it
3. applied only after a unanimous vote; afterwards everybody can follow, and nobody ever goes back
4. a planned switch happens at one step everywhere, or nowhere
7. nothing of a dead epoch changes a state any more

5 and 6, on the order of data and on bits, are not the protocol's to break. That what is claimed is
also so, that no gradient is applied twice or left out, is checked throughout.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import msgspec

from hotswap.errors import StateUnreachable
from hotswap.wire import messages

if TYPE_CHECKING:
    from hotswap.coordinator.core.member_values import Ballot
    from hotswap.coordinator.core.record import Record
    from hotswap.coordinator.core.swap_record import SwapRecord
    from hotswap.wire.messages import Message, Notice
    from tests.simulation.node import Copy, Node
    from tests.simulation.world import World


class Violation(AssertionError):
    """An invariant does not hold."""


def expect(condition: bool, text: str) -> None:  # noqa: FBT001 - reads like an assertion
    """Complain when something that must hold does not."""
    if not condition:
        raise Violation(text)


class Ghost(msgspec.Struct):
    """What has to be remembered to see a violation; the processes know nothing of it."""

    # epoch -> what the first leader that spoke of it has said
    decisions: dict[int, tuple[object, ...]] = {}
    # epoch -> steps after which the first member has switched to it
    switches: dict[int, int] = {}
    # how often the job went back to a checkpoint
    restores: int = 0
    restored_epoch: int = 0
    certificates: int = 0
    outcome: str = ""
    # kinds of notices, counted, where somebody wants to know
    notices: dict[str, int] | None = None

    def clone(self) -> Ghost:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin.decisions = self.decisions.copy()
        twin.switches = self.switches.copy()
        return twin

    def fingerprint(self) -> tuple[object, ...]:
        """Return what decides about later complaints."""
        latest = max(self.decisions, default=0)
        decisions = tuple((epoch, self.decisions.get(epoch)) for epoch in (latest, latest - 1))
        return (decisions, self.switches.get(latest), self.restores)

    # ------------------------------------------------------------------------------- leaders

    def decided(self, coordinator: str, message: Message) -> None:
        """1: no two leaders say different things about one epoch."""
        if isinstance(message, messages.Start):
            said: tuple[object, ...] = (
                tuple((seat.rank, seat.member) for seat in message.roster),
                message.committed,
                message.restore_step,
            )
        elif isinstance(message, messages.BindNext):
            said = tuple((seat.rank, seat.member) for seat in message.roster)
        else:
            return
        before = self.decisions.setdefault(message.epoch, said)
        text = f"{coordinator} says {said} of epoch {message.epoch}, and {before} was said before"
        expect(before == said, f"1: {text}")

    def saved(self, before: Record | None, after: Record) -> None:
        """3: what is committed stays so, unless a checkpoint is restored and that is said."""
        if before is None:
            return
        expect(before.token <= after.token, "1: a former leader has replaced the record")
        expect(before.highest_epoch <= after.highest_epoch, "1: an epoch's number is used again")
        if after.restored_epoch == before.restored_epoch:
            text = f"{before.committed} steps were committed, and now only {after.committed}"
            expect(before.committed <= after.committed, f"3: {text}")
        lost = set(before.lost) - set(after.lost)
        expect(not lost, f"1: {lost} were lost and are not any more")

    def certified(self, record: SwapRecord) -> None:
        """Count certificates; equal states are equal digests."""
        self.certificates += 1
        if record.digest_before is not None and record.digest_after is not None:
            same = record.digest_before == record.digest_after
            expect(same, f"3: swap {record.id} has changed the state")

    def noticed(self, notice: Notice) -> None:
        """Remember how the job has ended."""
        if self.notices is not None:
            self.notices[notice.kind] = self.notices.get(notice.kind, 0) + 1
        if notice.kind in ("finished", "failed"):
            self.outcome = f"{notice.kind}: {notice.text}"

    # ------------------------------------------------------------------------------- members

    def cast(self, world: World, node: Node, ballot: Ballot) -> None:
        """2: a ready ballot stands for gradients that every protecting mirror holds."""
        core = node.core
        if not ballot.ready:
            return
        for name in sorted(node.protecting):
            mirror = world.nodes[name]
            if not mirror.present:
                continue
            copy = mirror.copies.get(core.rank) if core.rank is not None else None
            # A mirror that has taken a rank over, or was reassigned, drops its copy.
            if copy is None:
                continue
            text = f"{node.name} is ready for step {core.committed}, and its mirror {name} is not"
            expect(copy.held == core.committed or copy.applied > core.committed, f"2: {text}")

    def voted(self, world: World, node: Node, step: int) -> None:
        """3, 4, 7: a step is applied by a unanimous vote of a living epoch, before any switch."""
        epoch = node.core.epoch
        who = f"{node.name} applies step {step} in epoch {epoch}"
        expect(epoch > node.core.dead_epoch, f"7: {who}, which is dead")
        votes = world.ballots.get((epoch, step), {})
        for name in world.electorate.get(epoch, ()):
            expect(votes.get(name, (False, 0))[0], f"3: {who}, and {name} was not ready")
        for switch, first in self.switches.items():
            expect(switch <= epoch or step < first, f"4: {who}; others switched at step {first}")

    def applies(self, node: Node, step: int) -> None:
        """3: no gradient is applied twice, none is left out."""
        text = f"{node.name} applies step {step} to a state after {node.applied} steps"
        expect(node.applied == step, f"3: {text}")

    def mirrors(self, node: Node, copy: Copy, step: int) -> None:
        """3: nor on a mirror."""
        text = f"the mirror on {node.name} applies step {step}: {copy}"
        expect(copy.applied == step and copy.held == step, f"3: {text}")

    def taken_over(self, node: Node, copy: Copy | None, *, apply_pending: bool) -> None:
        """3: what is taken over is there, whole and sound."""
        expect(copy is not None and copy.applied >= 0, f"3: {node.name} takes over a copy it lacks")
        assert copy is not None, "expected just now"
        expect(not copy.condemned, f"3: {node.name} takes over bits that are known to be wrong")
        held = f"3: {node.name} applies gradients that it does not hold: {copy}"
        expect(not apply_pending or copy.held == copy.applied, held)

    def owns(self, node: Node, version: int) -> None:
        """3: a newcomer begins where the others are."""
        text = f"{node.name} owns a state after {node.applied} steps, {version} were announced"
        expect(node.applied == version, f"3: {text}")

    def switched(self, node: Node, epoch: int) -> None:
        """4: everybody switches after the same step."""
        first = self.switches.setdefault(epoch, node.core.committed)
        text = (
            f"{node.name} switches to epoch {epoch} after {node.core.committed} steps, not {first}"
        )
        expect(first == node.core.committed, f"4: {text}")

    def restored(self, node: Node) -> None:
        """Note that a member went back to a checkpoint; 3 holds from there on."""
        if node.core.epoch > self.restored_epoch:
            self.restored_epoch = node.core.epoch
            self.restores += 1

    def left(self, node: Node, code: str) -> None:
        """3: everybody can always follow, but for a copy that was found damaged meanwhile."""
        damaged = any(copy.condemned for copy in node.copies.values())
        text = f"{node.name} can't reach the job's state"
        expect(code != StateUnreachable.code or damaged, f"3: {text}")


def check_restore(world: World, coordinator: str, start: Message) -> None:
    """3: nobody goes back to a checkpoint while the state of every rank is there.

    Seen are the cases in which each rank's owner lives, or all but one and a mirror of that one.
    """
    if not isinstance(start, messages.Start) or start.restore_step is None:
        return
    members = world.offices[coordinator].core.job.members
    living = [node for node in world.nodes.values() if node.present and node.name in members]
    current = [
        (node, holding)
        for node in living
        for holding in node.core.holdings()
        if holding.complete and holding.intact and holding.since_epoch >= world.ghost.restored_epoch
    ]
    # the dead, too, may have committed what was reported, and what nobody else can reach
    target = max(
        node.core.committed
        for node in world.nodes.values()
        if node.core.rank is not None and node.core.since_epoch >= world.ghost.restored_epoch
    )
    able = {
        (node.name, holding.rank, holding.kind == "mirror")
        for node, holding in current
        if holding.version == target or (holding.pending and holding.version == target - 1)
    }
    owned = {rank for _, rank, mirrored in able if not mirrored}
    owners = {node.name for node in living if node.core.rank is not None}
    missing = set(range(world.ranks)) - owned
    if len(missing) > 1:
        return
    mirrored = {rank for name, rank, mirror in able if mirror and name not in owners}
    text = f"{coordinator} goes back to step {start.restore_step}; every rank can go on at {target}"
    expect(not missing <= mirrored, f"3: {text}")


def check_owners(world: World) -> None:
    """1: of those that live, one owner for each rank and epoch; 3: cores claim what is so."""
    owners: dict[tuple[int, int], str] = {}
    for name, node in world.nodes.items():
        core = node.core
        if core.rank is None or not node.present:
            continue
        if core.running:
            first = owners.setdefault((core.epoch, core.rank), name)
            if first != name:
                text = f"{first} and {name} own rank {core.rank} in epoch {core.epoch}"
                raise Violation(f"1: {text}")
        if node.applied != core.committed:
            text = f"{name} has applied {node.applied} steps and claims {core.committed}"
            raise Violation(f"3: {text}")
