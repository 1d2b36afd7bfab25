"""What a member's runtime has to do, in the order in which the core says it."""

import msgspec

from hotswap.wire.messages import Endpoint, Message, Mirroring, Seat


class MemberEffect(msgspec.Struct, frozen=True, kw_only=True):
    """Base of everything that `MemberCore` asks its runtime to do."""


class Send(MemberEffect, frozen=True, kw_only=True):
    """Send ``message`` to the coordinator; lost when there is no connection, which is all right."""

    message: Message


class Abandon(MemberEffect, frozen=True, kw_only=True):
    """End the collectives of ``epoch`` and of older ones, and free their groups.

    Unwound follows: it may be sent only once no byte of them can reach live tensors.
    """

    epoch: int


class Apply(MemberEffect, frozen=True, kw_only=True):
    """Apply step ``step``: optimizer, scheduler. It counts as applied from now on."""

    step: int


class CommitMirrors(MemberEffect, frozen=True, kw_only=True):
    """Tell every mirror that ``step`` was committed, in a bundle stamped with ``epoch``."""

    epoch: int
    step: int


class RollForward(MemberEffect, frozen=True, kw_only=True):
    """Another rank has applied ``step``: apply the gradients of it that are held."""

    step: int


class Discard(MemberEffect, frozen=True, kw_only=True):
    """Nobody has applied ``step``: drop what was computed of it, it is computed again."""

    step: int


class Bind(MemberEffect, frozen=True, kw_only=True):
    """Connect the groups of ``epoch``, then call ``bound``; on failure ``peer_lost``."""

    epoch: int
    # rank of this member in it
    rank: int
    roster: tuple[Seat, ...]
    store: Endpoint
    # True: beside the groups in use, which stay in use
    background: bool


class Switch(MemberEffect, frozen=True, kw_only=True):
    """Use the groups of ``epoch``, which are connected, instead of the present ones."""

    epoch: int


class DropGroups(MemberEffect, frozen=True, kw_only=True):
    """Free the groups of ``epoch``, which were connected in advance and are not needed."""

    epoch: int


class HandOver(MemberEffect, frozen=True, kw_only=True):
    """Tell the mirror ``target``, after its Commit, that it owns ``rank`` in ``epoch``."""

    target: str
    rank: int
    epoch: int
    # steps applied to the state that is handed over
    version: int


class Retire(MemberEffect, frozen=True, kw_only=True):
    """Stop training, keep the state, and wait to be released or to be made owner again."""

    # id for Verified of the state that was handed over, with kind "owner"
    swap: str


class Reinstate(MemberEffect, frozen=True, kw_only=True):
    """Train again from the state that was kept: the newcomer was lost."""

    rank: int


class BecomeOwner(MemberEffect, frozen=True, kw_only=True):
    """Train as ``rank`` from the state of its mirror in this process."""

    rank: int
    # steps applied to the state once ``apply_pending`` was done
    version: int
    # apply the gradients that the mirror holds first
    apply_pending: bool
    # there is no mirror: nothing was committed yet, so the script's own initial state is the one
    fresh: bool
    # id for Verified once the state was taken over, with kind "mirror"; "" for the first epoch
    swap: str


class Restore(MemberEffect, frozen=True, kw_only=True):
    """Load the checkpoint of ``step`` as ``rank``; call ``restored`` or ``restore_failed``.

    Copies to mirrors start over: what they hold belongs to a history that was given up.
    """

    rank: int
    step: int
    # whether this process did not own the rank before
    newcomer: bool


class PrepareRole(MemberEffect, frozen=True, kw_only=True):
    """Build the model of ``rank`` in advance, then call ``prepared``."""

    rank: int


class DigestState(MemberEffect, frozen=True, kw_only=True):
    """Digest the state at the first boundary from ``at_step`` on, here and on the mirrors."""

    swap: str
    rank: int
    at_step: int


class LinkMirrors(MemberEffect, frozen=True, kw_only=True):
    """Mirror the rank that this member owns to exactly these; drop other links."""

    mirrors: tuple[Mirroring, ...]


class DropMirror(MemberEffect, frozen=True, kw_only=True):
    """Free the copy of ``rank``: another member mirrors it."""

    rank: int


class Leave(MemberEffect, frozen=True, kw_only=True):
    """This process has no part in the job any more."""

    # False: an error to report
    ok: bool
    # released, job_over, job_failed, or the code of an error: fenced_off, state_unreachable
    code: str
    reason: str
