"""Errors about the data that the job trains on, and the record of it."""

from hotswap.errors.base import HotswapError


class DataError(HotswapError):
    """Something about the data that the job trains on."""


class DataUnsuitable(DataError):
    """The data set or the sizes given for it do not make an order of samples."""


class DataMisused(DataError):
    """The data was asked for something before, beyond or short of what it was set up for."""


class SampleUnreadable(DataError):
    """The script's data set raised an error while it read a sample."""


class DataWorkerLost(DataError):
    """A process that reads data has died, hangs, or could not be started."""


class LedgerError(HotswapError):
    """Something about the record of consumed samples."""


class LedgerUnwritable(LedgerError):
    """A committed step's samples could not be recorded; the file is as it was before."""


class LedgerUnreadable(LedgerError):
    """A file of the ledger holds something that is not a record, other than a torn last line."""
