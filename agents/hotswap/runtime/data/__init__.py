"""A job's data: the order of samples, a loader that can be moved, the ledger of what was read."""

from hotswap.runtime.data.adapter import from_dataloader
from hotswap.runtime.data.audit import LedgerFinding, LedgerReport, audit_ledger
from hotswap.runtime.data.ledger import LedgerContents, LedgerRecord, LedgerWriter, read_ledger
from hotswap.runtime.data.loader import Loader
from hotswap.runtime.data.memory import MemorySource
from hotswap.runtime.data.order import SampleOrder
from hotswap.runtime.data.seeds import derive_seed, seed_process
from hotswap.runtime.data.source import DataSource

__all__ = [
    "DataSource",
    "LedgerContents",
    "LedgerFinding",
    "LedgerRecord",
    "LedgerReport",
    "LedgerWriter",
    "Loader",
    "MemorySource",
    "SampleOrder",
    "audit_ledger",
    "derive_seed",
    "from_dataloader",
    "read_ledger",
    "seed_process",
]
