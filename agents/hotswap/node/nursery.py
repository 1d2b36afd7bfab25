"""The launcher's children: started, watched, and at the end all gone."""

import asyncio
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from hotswap.node.children import Child, spawn


class Nursery:
    """Child processes of one run.

    1. ``start`` as often as needed, within a running event loop;
    2. ``on_exit`` is called in the loop with name and status, once per child, as soon as the
       kernel tells that it has ended;
    3. ``stop`` for some or all of them; ``close`` in the end, whatever happened: it returns only
       when no child is left.
    """

    def __init__(self, *, logs: Path, on_exit: Callable[[str, int], None]) -> None:
        """Write the children's output into ``logs``."""
        self._logs = logs
        self._on_exit = on_exit
        self._living: dict[str, Child] = {}
        self._changed = asyncio.Event()

    @property
    def living(self) -> tuple[str, ...]:
        """Names of the children that have not ended."""
        return tuple(self._living)

    def start(self, *, name: str, command: Sequence[str], environment: Mapping[str, str]) -> Child:
        """Start a child.

        Raises:
            JobError: it cannot be started; the message says why.

        """
        child = spawn(name=name, command=command, environment=environment, logs=self._logs)
        self._living[name] = child
        asyncio.get_running_loop().add_reader(child.pidfd, self._reap, child)
        return child

    def kill(self, name: str) -> None:
        """Kill a child and all that it started; nothing happens when it has ended."""
        child = self._living.get(name)
        if child is not None:
            child.kill()

    async def wait(self, names: Iterable[str], *, within_s: float) -> bool:
        """Wait until these children have ended; say whether they have."""
        names = set(names)
        try:
            async with asyncio.timeout(within_s):
                while names & self._living.keys():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    async def stop(self, names: Iterable[str], *, grace_s: float) -> None:
        """Ask these children to end, and kill those that have not done so after ``grace_s``."""
        asked = [name for name in names if name in self._living]
        for name in asked:
            self._living[name].signal(signal.SIGTERM)
        if not await self.wait(asked, within_s=grace_s):
            for name in asked:
                self.kill(name)

    def close(self) -> None:
        """Kill and reap every child that is left; blocks until the kernel has let go of them."""
        for child in tuple(self._living.values()):
            child.kill()
        for child in tuple(self._living.values()):
            self._reap(child)

    def _reap(self, child: Child) -> None:
        """Collect a child that has ended."""
        asyncio.get_running_loop().remove_reader(child.pidfd)
        status = child.reap()
        del self._living[child.name]
        self._changed.set()
        self._on_exit(child.name, status)
