"""Errors about a job as a whole."""

from hotswap.errors.base import HotswapError


class JobError(HotswapError):
    """Something about a job as a whole."""


class JobNameInvalid(JobError):
    """The name cannot be that of a job."""


class JobInUse(JobError):
    """A living run has this name."""


class JobUnknown(JobError):
    """No job of this name has been run on this machine."""


class NotJoined(JobError):
    """The script ended, or ran out of ``join_s``, without calling `hotswap.join()`."""


class MeshDoesNotFit(JobError):
    """A device mesh of the script has another number of places than the job has ranks."""

    def __init__(self, *, places: int, ranks: int, where: str) -> None:
        """Take both numbers, and where the script was."""
        super().__init__(
            f"{where}: a device mesh has {places} places, and the job {ranks} ranks: make the "
            f"product of the mesh's sizes {ranks}, or start the job with --ranks {places}"
        )
        self.places = places
        self.ranks = ranks


class PortInUse(JobError):
    """Another process listens on the port."""

    def __init__(self, *, host: str, port: int) -> None:
        """Take the address that is taken."""
        super().__init__(
            f"{host}:{port} is in use: choose another port, or stop the process that listens there"
        )
        self.host = host
        self.port = port


class StateUnwritable(JobError):
    """A file of the job could not be written; what it held before is intact."""


class LeaseDamaged(JobError):
    """The lease by which a coordinator leads, or its record, is not as it was written."""


class EvidenceUnreadable(JobError):
    """A certificate or ledger cannot be read."""
