"""Every named wait and size of the package.

A limit is set by the environment variable of its name, ``lease_s`` by ``HOTSWAP_LEASE_S``, in the
environment of `hotswap run`; the processes that it starts inherit it. The comment above a field is
its line in ``docs/reference/settings.md``.
"""

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple

from hotswap.errors import EnvironmentInvalid, LimitsOutOfOrder

PREFIX: Final = "HOTSWAP_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Named limits; durations in seconds, sizes in bytes."""

    # member: between two heartbeats to the coordinator
    heartbeat_s: float = 0.1
    # coordinator: a member that is silent for so long is lost
    lease_s: float = 2.0
    # coordinator: a closed connection counts as a loss after this, unless the member returns
    disconnect_grace_s: float = 0.15
    # coordinator: a leader that has not renewed its lease for so long is replaced
    leader_lease_s: float = 0.5
    # coordinator: between two renewals of the leader's lease
    leader_renew_s: float = 0.1
    # coordinator: between two looks of one that does not lead whether it can
    leader_poll_s: float = 0.05
    # coordinator: between two looks of the leader at its own deadlines
    tick_s: float = 0.02
    # a collective that takes longer has failed
    collective_s: float = 60.0
    # connecting the groups of an epoch: the slowest newcomer has to build its model meanwhile
    bind_s: float = 60.0
    # coordinator: a planned swap whose standby is not ready after this is given up
    prepare_s: float = 60.0
    # coordinator: a planned swap that is not in force after this is given up
    swap_s: float = 120.0
    # coordinator: a rank that no standby can take over for so long ends the job
    replacement_s: float = 240.0
    # coordinator: digests that come later after a change of owner are missing in its certificate
    certificate_s: float = 10.0
    # coordinator: an owner that has dropped a mirror is told to try it again after this
    remirror_s: float = 5.0
    # coordinator: epochs in a row that die before they have committed a step and end the job
    barren_epochs_max: int = 8
    # coordinator: standbys that build a rank's model in advance without having been told to
    ready_standbys_max: int = 64
    # collectives of a lost epoch must have ended within this
    abandon_s: float = 2.0
    # groups of an epoch that ended in good order are freed after this
    linger_s: float = 0.5
    # owner: a mirror that takes longer to acknowledge a step's gradients is dropped
    mirror_ack_s: float = 5.0
    # while a rank is taken over, what can wait waits, but not longer than this: the other copies
    # that the newcomer keeps, and the retired owner's digest
    takeover_s: float = 0.1
    # retired owner: how long it keeps its state for the newcomer's sake
    drain_s: float = 30.0
    # member: at its end, its threads must have ended within this
    threads_s: float = 25.0
    # standby: how long it waits to be given a rank; the job's end ends it sooner
    standby_wait_s: float = 30 * 86_400.0
    # survivor: how long it waits for the next epoch after one is lost
    next_epoch_s: float = 300.0

    # owner: share of a step's time that copying to a new mirror takes at its boundary, about
    copy_share_max: float = 0.1
    # owner: bytes of state copied to a new mirror at one step boundary, at most
    copy_slice_nbytes: int = 512 << 20
    # owner: steps between two comparisons of digests with the mirrors
    digest_every_steps: int = 10

    # one message of a control connection
    control_frame_nbytes_max: int = 1 << 20
    # proving to each other that both ends of a new connection know the job's key
    handshake_s: float = 2.0
    # coordinator: connections that have not said who they are yet; more are closed
    strangers_max: int = 256
    # coordinator: messages that a member has not taken yet; beyond it, the member is cut off and
    # has to connect again
    member_backlog_nbytes_max: int = 4 << 20
    # coordinator: messages that a supervisor or an operator has not taken yet; beyond it, an
    # operator misses what it did not take
    observer_backlog_nbytes_max: int = 1 << 20
    # coordinator: the job's file of events; beyond it, the older half is given up
    events_nbytes_max: int = 64 << 20
    # coordinator: an orderly end waits so long for messages to be taken
    farewell_s: float = 1.0

    # header of a bundle, with its list of segments
    bundle_header_nbytes_max: int = 16 << 20
    # tensors in one bundle
    bundle_segments_max: int = 65_536
    # one tensor of a bundle
    bundle_segment_nbytes_max: int = 16 << 30
    # all tensors of one bundle
    bundle_nbytes_max: int = 64 << 30
    # small state of a rank: how deep it may be nested
    small_state_depth_max: int = 32
    # small state of a rank: its bytes without the tensors
    small_state_nbytes_max: int = 16 << 20
    # small state of a rank: its tensors
    small_state_tensors_max: int = 65_536
    # floating-point buffers up to this size are compared element by element, because kernels such
    # as batch normalisation write them without telling the version counter
    buffer_compare_nbytes_max: int = 1 << 20
    # how long closing waits for a checkpoint that is being written
    checkpoint_close_s: float = 30.0

    # waiting for one micro-batch from the data workers
    data_batch_s: float = 300.0
    # data workers: from being asked to leave until they are killed
    data_worker_stop_s: float = 5.0
    # micro-batches that data workers read ahead, over all of them; so many requests fit into the
    # buffer of one connection, hence sending one never blocks
    data_in_flight_max: int = 256
    # one step of one rank in the ledger of consumed samples
    ledger_record_nbytes_max: int = 1 << 20

    # launcher: from the start until every rank has called `join`
    join_s: float = 180.0
    # launcher: from an orderly stop until what still lives is killed
    stop_grace_s: float = 10.0
    # launcher: from the end of the job until trainers that linger are stopped
    finish_grace_s: float = 30.0
    # launcher: from the declared loss of a member until its process, frozen or wedged, is killed
    fenced_exit_s: float = 30.0
    # launcher: from a loss until a process replaces it, so that starting up takes no processor
    # time from the recovery
    respawn_delay_s: float = 1.0
    # launcher: processes started in place of others, over the whole run
    respawn_max: int = 1_000
    # launcher: exits so soon after the start that, `stop_loss_exits` times, respawning ends
    stop_loss_s: float = 10.0
    # launcher: exits within `stop_loss_s` of the start after which respawning ends
    stop_loss_exits: int = 5
    # launcher and operator: connecting to one coordinator
    connect_s: float = 2.0
    # launcher and operator: waiting for the answer of a coordinator
    answer_s: float = 5.0
    # launcher and operator: pause between two attempts to reach a leader
    reconnect_s: float = 0.1
    # operator: looking for a leader before giving up
    find_leader_s: float = 10.0
    # operator: from the request of a swap until its end
    swap_wait_s: float = 300.0
    # launcher: between two looks at the job's protection
    status_every_s: float = 1.0
    # terminal: between two plain progress lines where no one can be redrawn
    plain_line_every_s: float = 5.0
    # launcher: end of a failing log that is shown
    log_tail_lines: int = 20

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Limits":
        """Give the defaults, overridden by the ``HOTSWAP_`` variables in ``environment``.

        Raises:
            EnvironmentInvalid: a value is not a number of its limit's kind, or a variable's name
                is so near to a limit's that it must be meant for it.
            LimitsOutOfOrder: two limits are in an order in which they can't work.

        """
        names = {PREFIX + field.name.upper(): field for field in fields(cls)}
        for variable in environment:
            if variable.startswith(PREFIX) and variable not in names:
                _refuse_near_miss(variable, names)
        values: dict[str, Any] = {
            field.name: parse_limit(
                variable,
                environment[variable],
                whole=field.type is int,
                may_be_zero=field.name in _MAY_BE_ZERO,
            )
            for variable, field in names.items()
            if variable in environment
        }
        limits = cls(**values)
        limits.check_order()
        return limits

    def check_order(self) -> None:
        """Refuse limits of which one has to run out before another, and would not.

        Raises:
            LimitsOutOfOrder: names both limits, their values, and what would go wrong.

        """
        for order in ORDERS:
            lower, upper = getattr(self, order.lower), getattr(self, order.upper)
            if not lower < upper:
                raise LimitsOutOfOrder(
                    lower=(order.lower, lower), upper=(order.upper, upper), why=order.why
                )


class Order(NamedTuple):
    """Two limits of which ``lower`` has to be below ``upper``."""

    lower: str
    upper: str
    # what goes wrong otherwise, as the end of a sentence
    why: str


#: What :meth:`Limits.check_order` holds.
ORDERS: Final = (
    Order("heartbeat_s", "lease_s", "members would be declared lost between two heartbeats"),
    Order("disconnect_grace_s", "lease_s", "a member could not come back before it is lost"),
    Order("leader_renew_s", "leader_lease_s", "a leader would lose its lease between renewals"),
    Order("leader_poll_s", "leader_lease_s", "a lost leader would be noticed late"),
    Order("tick_s", "lease_s", "a lost member would be noticed late"),
    Order("leader_lease_s", "lease_s", "losing the leader would make members look lost"),
    Order("lease_s", "collective_s", "collectives would give up before the lost rank is replaced"),
    Order(
        "mirror_ack_s", "collective_s", "one slow mirror would fail the other ranks' collectives"
    ),
    Order("takeover_s", "mirror_ack_s", "owners would drop a mirror that is taking a rank over"),
    Order("abandon_s", "bind_s", "the next epoch would fail while the lost one is being left"),
    Order("bind_s", "next_epoch_s", "survivors would leave while the next epoch is being bound"),
    Order("replacement_s", "next_epoch_s", "survivors would leave before a standby may have come"),
    Order("prepare_s", "swap_s", "a planned swap would end before its standby may be ready"),
    Order("swap_s", "swap_wait_s", "the operator would leave before the swap is decided"),
    Order("connect_s", "find_leader_s", "one silent coordinator would use up the whole search"),
    Order("reconnect_s", "find_leader_s", "a leader would be looked for only once"),
    Order("bundle_header_nbytes_max", "bundle_nbytes_max", "no bundle could hold its header"),
    Order("copy_slice_nbytes", "bundle_nbytes_max", "no slice of a copy would fit a bundle"),
)

#: Limits that may be switched off with 0.
_MAY_BE_ZERO: Final = (
    "disconnect_grace_s",
    "ready_standbys_max",
    "respawn_delay_s",
    "respawn_max",
    "log_tail_lines",
)


def parse_limit(variable: str, text: str, *, whole: bool, may_be_zero: bool = False) -> float:
    """Read the value of one limit.

    Raises:
        EnvironmentInvalid: it is no number of that kind, or below what it may be.

    """
    try:
        value = int(text) if whole else float(text)
    except ValueError as error:
        needs = "a whole number" if whole else "a number"
        raise EnvironmentInvalid(f"{variable}={text!r} has to be {needs}") from error
    if not math.isfinite(value) or value < 0 or (value == 0 and not may_be_zero):
        raise EnvironmentInvalid(
            f"{variable}={text!r} has to be {'0 or more' if may_be_zero else 'above 0'}, and finite"
        )
    return value


def _refuse_near_miss(variable: str, names: Mapping[str, object]) -> None:
    """Refuse a name that is a limit's but for a slip of the fingers."""
    near = difflib.get_close_matches(variable, names, n=1, cutoff=0.9)
    if near:
        raise EnvironmentInvalid(f"{variable} is not a limit: write {near[0]}, or unset it")
