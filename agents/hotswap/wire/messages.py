"""Every message of the control channel, as tagged structs.

Who sends what::

    member      -> coordinator   Hello, Heartbeat, PeerLost, Unwound, Bound, Resumed, Prepared,
                                 MirrorReport, Verified, Disarmed, Switched, CorruptionFound,
                                 ProtectionLost, Committed, RestoreFailed, Finished
    supervisor  -> coordinator   Hello, ProcessExited, Heartbeat
    operator    -> coordinator   Hello, SwapRequest, AbortRequest, PrepareRequest, StatusRequest
    coordinator -> member        Welcome, Refused, Start, EpochDead, Prepare, AssignMirrors,
                                 BindNext, Verify, Arm, Disarm, TakeOver, Release, Shutdown
    coordinator -> operator      Welcome, Refused, SwapAccepted, Status, Notice
    coordinator -> supervisor    Welcome, Refused, Notice, Shutdown

A *member* is one process that can fill a rank. A *rank* is a role; a member owns it for an
*epoch*. ``committed`` counts the steps applied, so it is also the index of the next step.
``token`` is the fencing token of the leader that sent a command: it rises with each election,
and a member refuses a command whose token is lower than the highest it has seen.
"""

from hotswap.wire.answers import Notice, Refused, Status, SwapAccepted, Welcome
from hotswap.wire.epoch_commands import AssignMirrors, EpochDead, Release, Shutdown, Start
from hotswap.wire.greetings import Heartbeat, Hello
from hotswap.wire.observations import (
    Committed,
    CorruptionFound,
    MirrorReport,
    ProtectionLost,
    Verified,
)
from hotswap.wire.reports import (
    Bound,
    Disarmed,
    Finished,
    PeerLost,
    Prepared,
    RestoreFailed,
    Resumed,
    Switched,
    Unwound,
)
from hotswap.wire.requests import (
    AbortRequest,
    PrepareRequest,
    ProcessExited,
    StatusRequest,
    SwapRequest,
)
from hotswap.wire.swap_commands import Arm, BindNext, Disarm, Prepare, TakeOver, Verify
from hotswap.wire.values import (
    PROTOCOL_VERSION,
    Endpoint,
    Holding,
    Message,
    Mirroring,
    RankStatus,
    Seat,
)

__all__ = [
    "PROTOCOL_VERSION",
    "AbortRequest",
    "Arm",
    "AssignMirrors",
    "BindNext",
    "Bound",
    "Committed",
    "CorruptionFound",
    "Disarm",
    "Disarmed",
    "Endpoint",
    "EpochDead",
    "Finished",
    "FromCoordinator",
    "Heartbeat",
    "Hello",
    "Holding",
    "Message",
    "MirrorReport",
    "Mirroring",
    "Notice",
    "PeerLost",
    "Prepare",
    "PrepareRequest",
    "Prepared",
    "ProcessExited",
    "ProtectionLost",
    "RankStatus",
    "Refused",
    "Release",
    "RestoreFailed",
    "Resumed",
    "Seat",
    "Shutdown",
    "Start",
    "Status",
    "StatusRequest",
    "SwapAccepted",
    "SwapRequest",
    "Switched",
    "TakeOver",
    "ToCoordinator",
    "Unwound",
    "Verified",
    "Verify",
    "Welcome",
]

ToCoordinator = (
    Hello | Heartbeat | PeerLost | Unwound | Bound | Resumed | Prepared | MirrorReport | Verified
    | Disarmed | Switched | CorruptionFound | ProtectionLost | Committed | RestoreFailed | Finished
    | ProcessExited | SwapRequest | AbortRequest | PrepareRequest | StatusRequest
)  # fmt: skip

FromCoordinator = (
    Welcome | Refused | Start | EpochDead | Prepare | AssignMirrors | BindNext | Verify | Arm
    | Disarm | TakeOver | Release | Shutdown | SwapAccepted | Status | Notice
)  # fmt: skip
