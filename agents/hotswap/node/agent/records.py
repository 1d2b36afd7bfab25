"""Values on disk, one file each: an agent that was killed finds them as they were."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec

from hotswap.errors import AgentStateUnusable
from hotswap.transfer.atomic import write_atomically

_Record = TypeVar("_Record", bound=msgspec.Struct)

#: What can be the name of a record: one plain path component.
_KEY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,199}")
_ENDING: Final = ".json"


def is_key(text: str) -> bool:
    """Whether a record can have this name."""
    return _KEY.fullmatch(text) is not None


class Records(Generic[_Record]):
    """Structs of one kind by name, in a directory. Small numbers: all are read at the start."""

    def __init__(self, directory: Path, kind: type[_Record]) -> None:
        """Read what is there.

        Raises:
            AgentStateUnusable: a file is not as it was written.
            OSError: the directory can't be made or read.

        """
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._directory = directory
        self._records: dict[str, _Record] = {}
        for path in sorted(directory.glob(f"*{_ENDING}")):
            self._records[path.name.removesuffix(_ENDING)] = _read(path, kind)

    def __iter__(self) -> Iterator[_Record]:
        return iter(tuple(self._records.values()))

    def __len__(self) -> int:
        return len(self._records)

    def items(self) -> tuple[tuple[str, _Record], ...]:
        """Return names and records."""
        return tuple(self._records.items())

    def get(self, key: str) -> _Record | None:
        """Return a record; None: there is none."""
        return self._records.get(key)

    def put(self, key: str, record: _Record) -> None:
        """Keep a record in place of what had the name; it is on the disk when this returns.

        Raises:
            OSError: it can't be written; what was there before is intact.

        """
        assert is_key(key), f"{key!r} comes from outside and was not checked"
        if self._records.get(key) != record:
            encoded = msgspec.json.format(msgspec.json.encode(record), indent=2)
            write_atomically(self._directory / f"{key}{_ENDING}", [encoded, b"\n"])
            self._records[key] = record

    def remove(self, key: str) -> None:
        """Forget a record; idempotent."""
        if self._records.pop(key, None) is not None:
            (self._directory / f"{key}{_ENDING}").unlink(missing_ok=True)


def _read(path: Path, kind: type[_Record]) -> _Record:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.DecodeError as error:
        raise AgentStateUnusable(
            f"{path} is not as the agent wrote it ({error}): move it away, and see what changed it"
        ) from error
