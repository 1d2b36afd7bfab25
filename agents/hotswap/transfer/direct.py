"""Writing past the page cache, where system and memory allow it.

A checkpoint is not read again soon. Through the page cache its bytes are copied once more, which
takes processor time from whoever trains beside it, and what others read is pushed out.
"""

import ctypes
import errno
import fcntl
import os
from typing import Final

#: What offset, length and address of a direct write are multiples of; ``O_DIRECT`` in ``open(2)``.
BLOCK_NBYTES: Final = 4096
#: Less than this goes through the page cache.
DIRECT_NBYTES_MIN: Final = 1 << 20
#: One write(2): large enough to cost nothing, small enough that the thread can be heard in between.
WRITE_NBYTES_MAX: Final = 8 << 20

#: 0 where the system has no such flag.
_O_DIRECT: Final = getattr(os, "O_DIRECT", 0)


def write_whole(descriptor: int, data: memoryview, *, position: int) -> int:
    """Write all of ``data`` to a file that is written from its begin on; return its bytes.

    What lies at multiples of `BLOCK_NBYTES`, in the file (``position`` bytes are written already)
    and in writable memory, is written directly, unless the file system refuses that.

    Raises `OSError` (disk full, no permission): some of it may be written.
    """
    done = _write_direct(descriptor, data[: _direct_nbytes(data, position)])
    while done < data.nbytes:
        done += os.write(descriptor, data[done : done + WRITE_NBYTES_MAX])
    return done


def _direct_nbytes(data: memoryview, position: int) -> int:
    """Return how many of the leading bytes can be written directly."""
    if data.nbytes < DIRECT_NBYTES_MIN or data.readonly or position % BLOCK_NBYTES:
        return 0
    if ctypes.addressof(ctypes.c_char.from_buffer(data)) % BLOCK_NBYTES:
        return 0
    return data.nbytes - data.nbytes % BLOCK_NBYTES


def _write_direct(descriptor: int, data: memoryview) -> int:
    """Write what can be written directly; return its bytes, which may be less than all."""
    done = 0
    if not _O_DIRECT or not data.nbytes:
        return done
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | _O_DIRECT)
        while done < data.nbytes:
            done += os.write(descriptor, data[done : done + WRITE_NBYTES_MAX])
    except OSError as error:
        # The file system does not do it, or a write that came to an early end is no multiple.
        if error.errno != errno.EINVAL:
            raise
    finally:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)
    return done
