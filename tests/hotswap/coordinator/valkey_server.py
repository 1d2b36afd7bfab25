"""A real Valkey server, from a wheel, for a test or a session."""

import signal
import subprocess
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from dev.stack.ports import free_port, listens
from dev.stack.valkey import valkey_command
from dev.stack.waiting import wait_until
from hotswap.coordinator.redis_lease import connect

if TYPE_CHECKING:
    import redis

WAIT_S = 20


class Valkey:
    """A server that can be killed, frozen, and started again."""

    def __init__(self, folder: Path, *, keep: bool = True) -> None:
        self.port = free_port()
        self._folder = folder
        self._keep = keep
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()

    def start(self) -> None:
        self._process = subprocess.Popen(
            valkey_command(port=self.port, folder=self._folder, keep=self._keep),
            stdout=subprocess.DEVNULL,
        )
        wait_until(listens(self.port), "valkey to listen", wait_s=WAIT_S)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(WAIT_S)
            self._process = None

    def freeze(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def client(self, *, answer_s: float = WAIT_S) -> "redis.Redis":
        """Give a client as coordinators have it, if more patient on a busy machine."""
        return connect(self.url, answer_s=answer_s)
