"""Why nothing new is started on this node: a file, so that a restart does not lift it."""

from pathlib import Path

import msgspec

from hotswap.errors import AgentStateUnusable
from hotswap.transfer.atomic import write_atomically


class _Quarantine(msgspec.Struct, frozen=True, kw_only=True):
    reason: str


class QuarantineFile:
    """The reason, or its absence."""

    def __init__(self, path: Path) -> None:
        """Read what an earlier agent has left.

        Raises:
            AgentStateUnusable: the file is not as it was written.

        """
        self._path = path
        self._reason: str | None = None
        try:
            self._reason = msgspec.json.decode(path.read_bytes(), type=_Quarantine).reason
        except FileNotFoundError:
            return
        except msgspec.DecodeError as error:
            raise AgentStateUnusable(
                f"{path} is not as the agent wrote it ({error}): remove it to lift the quarantine"
            ) from error

    @property
    def reason(self) -> str | None:
        """Why the node is in quarantine; None: it is not."""
        return self._reason

    def set(self, reason: str | None) -> None:
        """Put the node into quarantine, or lift it.

        Raises:
            OSError: it can't be written.

        """
        if reason is None:
            self._path.unlink(missing_ok=True)
        else:
            write_atomically(self._path, [msgspec.json.encode(_Quarantine(reason=reason))])
        self._reason = reason
