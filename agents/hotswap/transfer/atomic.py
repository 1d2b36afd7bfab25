"""Files that are either there whole or not at all, whatever is killed in between."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from hotswap.transfer.direct import write_whole


def write_atomically(path: Path, chunks: Iterable[bytes | memoryview]) -> int:
    """Write ``chunks`` to ``path`` and return their bytes; they are on the disk when this returns.

    The bytes go to a temporary file beside ``path`` (its name ends in ``.tmp``), are synced, and
    the file is renamed; the directory is synced too. A process killed meanwhile leaves the
    temporary file, and ``path`` as it was. On any error the temporary file is removed.

    Raises `OSError` (disk full, no permission, directory gone): ``path`` is as it was.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    temporary = Path(name)
    try:
        try:
            written = 0
            for chunk in chunks:
                written += write_whole(descriptor, memoryview(chunk), position=written)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(path)
    except BaseException:
        # Broad on purpose: whatever stops the write, a part of a file is of no use to anyone.
        temporary.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)
    return written


def sync_directory(directory: Path) -> None:
    """Make renames and removals in ``directory`` survive a power cut."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
