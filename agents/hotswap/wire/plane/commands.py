"""What the plane wants of an agent; see `hotswap.wire.plane`.

Every command is carried out once: its first result is kept on the node and is given again when the
same id comes again. A command whose fence is lower than the highest that the agent has seen for the
job is refused: whoever gave it did not know of a later decision.
"""

from typing import Annotated, Final, Literal

import msgspec

from hotswap.errors import PlaneMessageMalformed
from hotswap.wire.plane.base import PlaneValue
from hotswap.wire.plane.limits import FilePath, Instant, Name, Natural, Text

CommandKind = Literal[
    "start_member",
    "start_coordinator",
    "stop_member",
    "stop_job",
    "swap",
    "abort_swap",
    "prepare",
    "quarantine",
    "attach",
]

#: "accepted": it is being carried out; every other one is final.
ResultState = Literal["accepted", "done", "failed", "refused", "expired"]


class Command(PlaneValue, frozen=True, kw_only=True):
    """One thing to do, once."""

    id: Name
    # a `CommandKind`; an agent refuses one that it does not know
    kind: Name
    # rises with each decision of the plane about the job
    fence: Natural
    # the plane's id of the job; None where it is about the node
    job: Name | None = None
    # not begun after this; None: it can wait for ever
    deadline: Instant | None = None
    # fields of the struct in `PAYLOADS`
    payload: dict[str, object] = msgspec.field(default_factory=dict)


class CommandResult(PlaneValue, frozen=True, kw_only=True):
    """What became of a command."""

    # id of the command
    command: Name
    state: ResultState
    # for people; why, unless it is done
    detail: Text = ""
    # for programs: ``code`` of an error, ``pid``, ``swap`` and ``target`` given by the coordinator
    values: dict[str, str | int | float | None] = msgspec.field(default_factory=dict)


class JobPlace(PlaneValue, frozen=True, kw_only=True):
    """Which job, and where it lives on the node."""

    # name of the job, one plain path component
    name: Name
    # shared by all nodes of the job; None: HOTSWAP_HOME/jobs/NAME of the agent
    directory: FilePath | None = None
    # secret of the job in hexadecimal; None: the one in the directory, made by who comes first
    key: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")] | None = None


class StartMember(PlaneValue, frozen=True, kw_only=True):
    """Start a process that trains: the owner of a rank, or a standby. Done: ``values.pid``."""

    place: JobPlace
    # unique in the job and never used twice: ``node-0``, ``standby-3``
    member: Name
    # rank that it is to own first; None for a standby
    rank: Natural | None = None
    world_size: Annotated[int, msgspec.Meta(ge=1)]
    script: FilePath
    arguments: tuple[str, ...] = ()
    # added to that of the agent
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    # place among the job's processes on this node: the device to take
    slot: Natural = 0
    # address on which the other members reach it
    host: Name = "127.0.0.1"
    seed: int | None = None
    # None writes no micro-checkpoints
    checkpoint_every_steps: Annotated[int, msgspec.Meta(ge=1)] | None = None


class StartCoordinator(PlaneValue, frozen=True, kw_only=True):
    """Start a coordinator; the agent then reports the job. Done: ``values.pid``."""

    place: JobPlace
    # unique in the job and never used twice: ``coordinator-0``
    member: Name
    world_size: Annotated[int, msgspec.Meta(ge=1)]
    host: Name = "127.0.0.1"
    environment: dict[str, str] = msgspec.field(default_factory=dict)


class StopMember(PlaneValue, frozen=True, kw_only=True):
    """End one process: in order, and by force after ``grace_s``. Done once it is gone."""

    member: Name
    grace_s: Annotated[float, msgspec.Meta(ge=0, le=600)] = 10.0
    reason: Text = ""


class StopJob(PlaneValue, frozen=True, kw_only=True):
    """End every process of the job on this node, coordinators last. Done once they are gone."""

    grace_s: Annotated[float, msgspec.Meta(ge=0, le=600)] = 10.0
    reason: Text = ""


class Swap(PlaneValue, frozen=True, kw_only=True):
    """Ask the job's leader for a planned swap.

    Done as soon as the leader has accepted it, with ``values.swap``, the coordinator's id, and
    ``values.target``, the standby; how it goes on is in the job's notices and in its certificate.
    """

    rank: Natural
    # standby to use; None lets the coordinator choose
    target_member: Name | None = None
    reason: Text = ""
    # the plane's id of the swap
    swap: Name


class AbortSwap(PlaneValue, frozen=True, kw_only=True):
    """Ask the job's leader to give a swap up. Done: it was asked; a notice tells the end."""

    # the coordinator's id of the swap
    swap: Name
    reason: Text = ""


class Prepare(PlaneValue, frozen=True, kw_only=True):
    """Tell the job's leader which rank a standby should build the model of in advance."""

    rank: Natural
    member: Name | None = None


class Quarantine(PlaneValue, frozen=True, kw_only=True):
    """Start nothing new on this node, or lift that; what runs goes on."""

    on: bool = True
    reason: Text = ""


class Attach(PlaneValue, frozen=True, kw_only=True):
    """Report a job that `hotswap run` has started on this node, from its first event on."""

    place: JobPlace


Payload = (
    StartMember | StartCoordinator | StopMember | StopJob | Swap | AbortSwap | Prepare
    | Quarantine | Attach
)  # fmt: skip

#: What the payload of each kind is.
PAYLOADS: Final[dict[str, type[Payload]]] = {
    "start_member": StartMember,
    "start_coordinator": StartCoordinator,
    "stop_member": StopMember,
    "stop_job": StopJob,
    "swap": Swap,
    "abort_swap": AbortSwap,
    "prepare": Prepare,
    "quarantine": Quarantine,
    "attach": Attach,
}


def payload_of(command: Command) -> Payload:
    """Return the payload of ``command`` as the struct of its kind.

    Raises:
        PlaneMessageMalformed: this version knows no such kind, or a field is wrong.

    """
    kind = PAYLOADS.get(command.kind)
    if kind is None:
        known = ", ".join(PAYLOADS)
        raise PlaneMessageMalformed(
            f"this agent knows no command {command.kind!r} (it knows {known}): run the same "
            "version of hotswap on both sides"
        )
    try:
        return msgspec.convert(command.payload, kind)
    except msgspec.ValidationError as error:
        raise PlaneMessageMalformed(f"payload of {command.kind}: {error}") from error
