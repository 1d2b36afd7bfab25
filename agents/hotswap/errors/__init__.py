"""Every error of the package, in one tree: one class per decision that a caller can take.

::

    HotswapError
    ├── EnvironmentInvalid       start the script with `hotswap run`, or mend the variable
    ├── LimitsOutOfOrder         change one of the two limits that the message names
    ├── WireError                about a control connection
    │   ├── BadFrame             close the connection: the peer does not speak this protocol
    │   ├── UnknownProtocolVersion   run the same version of hotswap on both sides
    │   ├── UnknownMessage       run the same version of hotswap on both sides
    │   ├── NotAuthenticated     give both sides the key of the same job
    │   ├── PeerSilent           close the connection: the peer is slow or frozen
    │   └── ConnectionLost       connect again: the peer has ended, or the network failed
    ├── MemberError              about this process's part in a running job
    │   ├── EpochLost            let it pass: the step is repeated in the next epoch
    │   ├── CollectiveUnsupported    use the collective that the message names
    │   ├── AbandonTimedOut      leave the rank: bytes of a lost epoch could still arrive
    │   ├── FencedOff            end: another process owns the rank now
    │   ├── StepMisused          mend the order of the calls in the training loop
    │   ├── StateUnreachable     end: this process can't reach the state that the job is in
    │   └── IncompatibleStandby  install the job's version of torch on the standby
    ├── UnsupportedTensor        pass a plain strided tensor of a supported dtype
    ├── TransferError            about bytes between two members
    │   ├── LinkClosed           the peer has ended; nothing was cut
    │   ├── LinkLost             connect again: the link broke within a bundle
    │   ├── LinkTimedOut         the peer is slow or frozen; close the link
    │   ├── BundleMalformed      close the link: the peer does not speak this protocol
    │   ├── BundleVersionUnknown run the same version of hotswap on both sides
    │   ├── BundleTooLarge       raise the limit that the message names, or refuse the peer
    │   ├── SegmentUnexpected    owner and mirror do not hold the same tensors
    │   ├── CorruptSegment       discard what was received; `tensors` says which
    │   ├── ManifestMalformed    refuse the state
    │   ├── ManifestMismatch     refuse the state; `tensors` says where it differs
    │   └── CertificateConflict  keep the certificate that is there
    ├── StateError               about the training state of a rank
    │   ├── NotProtectable       change the script as the message says
    │   ├── ProtectedChanged     build model and optimizer whole before `protect`
    │   ├── StateNotEncodable    make `path` of the small state plain values and tensors
    │   ├── StateMalformed       refuse the state
    │   ├── StateMismatch        build the same model and optimizer; `tensors` says what differs
    │   ├── NumericsDiffer       mirror on a machine that computes the same bits
    │   └── ReplayGap            copy to the mirror again
    ├── CheckpointError          about micro-checkpoints
    │   ├── CheckpointFailed     make room or mend the disk; training goes on
    │   ├── CheckpointOutdated   continue in an epoch later than any in the directory
    │   ├── CheckpointMissing    load another step
    │   └── CheckpointDamaged    load an older step; `tensors` says what is damaged
    ├── DataError                about the data that the job trains on
    │   ├── DataUnsuitable       pass another data set, or other sizes
    │   ├── DataMisused          mend the order of the calls
    │   ├── SampleUnreadable     mend the data set: its own error is in the message
    │   └── DataWorkerLost       see what killed or blocked a data worker
    ├── LedgerError              about the record of consumed samples
    │   ├── LedgerUnwritable     make room; the step is committed, its record is not written
    │   └── LedgerUnreadable     keep the file as it is: it is damaged, or was edited
    ├── JobError                 about a job as a whole
    │   ├── JobNameInvalid       choose another name
    │   ├── JobInUse             choose another name, or stop the job that has it
    │   ├── JobUnknown           name a job that exists
    │   ├── NotJoined            call `hotswap.join()` in the script
    │   ├── MeshDoesNotFit       give the mesh as many places as the job has ranks
    │   ├── PortInUse            choose another port, or stop the process that has it
    │   ├── LeaseDamaged         start the job anew: nobody can tell who leads it
    │   ├── StateUnwritable      make room; nothing that was written before is lost
    │   └── EvidenceUnreadable   name a file that is there, and that nobody edited
    ├── OperatorError            about a command to a running job
    │   ├── CoordinatorUnreachable   try again, or see whether the job still runs
    │   ├── RequestRefused           mend the request; `refusal` says why
    │   └── SwapNotCompleted         the job goes on as before; the message says why
    └── AgentError               about a node's agent and the control plane
        ├── PlaneMessageMalformed    run the same version of hotswap on both sides
        ├── EnrolmentRefused         ask for a new token; a token serves one node once
        ├── PlaneUnreachable         try again; what is to be said is kept meanwhile
        ├── AgentStateUnusable       choose another state directory, or mend this one
        ├── ScenarioMalformed        mend the file at the place that the message names
        └── CommandRefused           mend the command; `refusal` says why

Messages say what to do next. ``code``, the class's name in snake case, is stable: programs compare
it, never the text. Each family stands in a module of its own and is imported from here; a new class
goes there, into the drawing, and into ``__all__``.
"""

from hotswap.errors.agent import (
    AgentError,
    AgentStateUnusable,
    CommandRefused,
    EnrolmentRefused,
    PlaneMessageMalformed,
    PlaneUnreachable,
    ScenarioMalformed,
)
from hotswap.errors.base import HotswapError
from hotswap.errors.checkpoint import (
    CheckpointDamaged,
    CheckpointError,
    CheckpointFailed,
    CheckpointMissing,
    CheckpointOutdated,
)
from hotswap.errors.data import (
    DataError,
    DataMisused,
    DataUnsuitable,
    DataWorkerLost,
    LedgerError,
    LedgerUnreadable,
    LedgerUnwritable,
    SampleUnreadable,
)
from hotswap.errors.job import (
    EvidenceUnreadable,
    JobError,
    JobInUse,
    JobNameInvalid,
    JobUnknown,
    LeaseDamaged,
    MeshDoesNotFit,
    NotJoined,
    PortInUse,
    StateUnwritable,
)
from hotswap.errors.member import (
    AbandonTimedOut,
    CollectiveUnsupported,
    EpochLost,
    FencedOff,
    IncompatibleStandby,
    MemberError,
    StateUnreachable,
    StepMisused,
)
from hotswap.errors.operator import (
    CoordinatorUnreachable,
    OperatorError,
    RequestRefused,
    SwapNotCompleted,
)
from hotswap.errors.settings import (
    EnvironmentInvalid,
    LimitsOutOfOrder,
)
from hotswap.errors.state import (
    NotProtectable,
    NumericsDiffer,
    ProtectedChanged,
    ReplayGap,
    StateError,
    StateMalformed,
    StateMismatch,
    StateNotEncodable,
)
from hotswap.errors.transfer import (
    BundleMalformed,
    BundleTooLarge,
    BundleVersionUnknown,
    CertificateConflict,
    CorruptSegment,
    LinkClosed,
    LinkLost,
    LinkTimedOut,
    ManifestMalformed,
    ManifestMismatch,
    SegmentUnexpected,
    TransferError,
    UnsupportedTensor,
)
from hotswap.errors.wire import (
    BadFrame,
    ConnectionLost,
    NotAuthenticated,
    PeerSilent,
    UnknownMessage,
    UnknownProtocolVersion,
    WireError,
)

__all__ = [
    "AbandonTimedOut",
    "AgentError",
    "AgentStateUnusable",
    "BadFrame",
    "BundleMalformed",
    "BundleTooLarge",
    "BundleVersionUnknown",
    "CertificateConflict",
    "CheckpointDamaged",
    "CheckpointError",
    "CheckpointFailed",
    "CheckpointMissing",
    "CheckpointOutdated",
    "CollectiveUnsupported",
    "CommandRefused",
    "ConnectionLost",
    "CoordinatorUnreachable",
    "CorruptSegment",
    "DataError",
    "DataMisused",
    "DataUnsuitable",
    "DataWorkerLost",
    "EnrolmentRefused",
    "EnvironmentInvalid",
    "EpochLost",
    "EvidenceUnreadable",
    "FencedOff",
    "HotswapError",
    "IncompatibleStandby",
    "JobError",
    "JobInUse",
    "JobNameInvalid",
    "JobUnknown",
    "LeaseDamaged",
    "LedgerError",
    "LedgerUnreadable",
    "LedgerUnwritable",
    "LimitsOutOfOrder",
    "LinkClosed",
    "LinkLost",
    "LinkTimedOut",
    "ManifestMalformed",
    "ManifestMismatch",
    "MemberError",
    "MeshDoesNotFit",
    "NotAuthenticated",
    "NotJoined",
    "NotProtectable",
    "NumericsDiffer",
    "OperatorError",
    "PeerSilent",
    "PlaneMessageMalformed",
    "PlaneUnreachable",
    "PortInUse",
    "ProtectedChanged",
    "ReplayGap",
    "RequestRefused",
    "SampleUnreadable",
    "ScenarioMalformed",
    "SegmentUnexpected",
    "StateError",
    "StateMalformed",
    "StateMismatch",
    "StateNotEncodable",
    "StateUnreachable",
    "StateUnwritable",
    "StepMisused",
    "SwapNotCompleted",
    "TransferError",
    "UnknownMessage",
    "UnknownProtocolVersion",
    "UnsupportedTensor",
    "WireError",
]
