"""The one job that this process takes part in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hotswap.errors import NotJoined

if TYPE_CHECKING:
    from hotswap.runtime.member import Member


class StartOver(BaseException):
    """The script has to run again from its first line: for another rank than it was built for.

    Not an Exception, so that a script's own error handling lets it pass.
    """


class _Session:
    """Holds the member across runs of the script in this process."""

    def __init__(self) -> None:
        self.member: Member | None = None
        self.joined = False


current = _Session()


def script_folder(script: str) -> Path:
    """Return the folder that python would put first on the import path for ``script``."""
    return Path(script).resolve().parent


def require_joined() -> None:
    """Raise NotJoined when the script has ended without having taken part in the job."""
    if current.member is None:
        raise NotJoined


def end(*, ok: bool, detail: str) -> None:
    """The script has ended for good: say so to the coordinator and free everything."""
    member, current.member = current.member, None
    if member is not None:
        member.leave(ok=ok, detail=detail)
