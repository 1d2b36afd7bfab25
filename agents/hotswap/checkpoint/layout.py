"""Where micro-checkpoints lie.

One directory per job; in it one directory per *set*, and in a set two files per rank::

    step-000000001204-epoch-000003/
        rank-00000.safetensors      tensors and small state of the rank
        rank-00000.json             record: manifest with digests; written last
        rank-00001.safetensors
        ...

The epoch is part of the name, because a step may be written in two epochs when a checkpoint had to
be gone back to; the two must not be mixed. A set is a consistent cut of the job: every rank wrote
what it held after applying the same step, so the window of causal consistency is zero steps.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SET_NAME: Final = re.compile(r"step-(\d{12,18})-epoch-(\d{6,18})")
_RECORD_NAME: Final = re.compile(r"rank-(\d{5,18})\.json")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class SetKey:
    """Names a set; sets order by age, and a later epoch is younger whatever its step."""

    # ownership epoch in which it was captured
    epoch: int
    # steps applied
    step: int

    def __str__(self) -> str:
        """Return the name of the set's directory."""
        return f"step-{self.step:012d}-epoch-{self.epoch:06d}"


def set_directory(directory: Path, key: SetKey) -> Path:
    """Return the directory of set ``key``."""
    return directory / str(key)


def data_path(directory: Path, key: SetKey, *, rank: int) -> Path:
    """Return the file with the tensors of ``rank`` in set ``key``."""
    return directory / str(key) / f"rank-{rank:05d}.safetensors"


def record_path(directory: Path, key: SetKey, *, rank: int) -> Path:
    """Return the file with the record of ``rank`` in set ``key``."""
    return directory / str(key) / f"rank-{rank:05d}.json"


def list_sets(directory: Path) -> list[SetKey]:
    """Return the sets in ``directory``, complete or not, oldest first; other entries are ignored.

    A directory that does not exist has none.
    """
    matches = (_SET_NAME.fullmatch(name) for name in _names(directory))
    return sorted(SetKey(step=int(m[1]), epoch=int(m[2])) for m in matches if m)


def list_recorded_ranks(directory: Path, key: SetKey) -> list[int]:
    """Return the ranks that have a record in set ``key``, in order."""
    matches = (_RECORD_NAME.fullmatch(name) for name in _names(set_directory(directory, key)))
    return sorted(int(m[1]) for m in matches if m)


def _names(directory: Path) -> list[str]:
    try:
        return [entry.name for entry in directory.iterdir()]
    except FileNotFoundError:
        return []
