"""Where coordinators on other machines listen, written where the members of this node look.

Members and links look for coordinators in the job's directory (`hotswap.channel.addresses`). Where
nodes share no directory, the coordinators announce themselves on a server as well, and this copies
it. Where they do share it, everything is there already, and nothing is written.
"""

from collections.abc import Iterable
from pathlib import Path

import structlog

from hotswap.channel.addresses import address_of, announce, latest_leader
from hotswap.coordinator.redis_addresses import Announced, RedisBook
from hotswap.coordinator.redis_lease import connect, keys_of
from hotswap.errors import EnvironmentInvalid, HotswapError
from hotswap.node.job_directory import JobDirectory

_log = structlog.get_logger()


class AddressMirror:
    """Copies announcements of jobs. ``look`` may take a moment: it is called outside the loop."""

    def __init__(self, url: str) -> None:
        """Read from the server at ``url``.

        Raises:
            EnvironmentInvalid: it is no address of a server.

        """
        try:
            self._server = connect(url)
        except ValueError as error:
            raise EnvironmentInvalid(
                "HOTSWAP_REDIS_URL is no address of a server: redis://HOST:PORT/NUMBER"
            ) from error
        self._copied: dict[tuple[Path, str], Announced] = {}

    def look(self, directories: Iterable[JobDirectory]) -> None:
        """Copy what is new about these jobs."""
        for directory in directories:
            try:
                key = keys_of(job=directory.name, key=directory.read_key()).addresses
                said = RedisBook(self._server, key=key).everything()
                for name, announced in (said or {}).items():
                    self._copy(directory.path, name, announced)
            except (HotswapError, OSError) as error:
                _log.warning("addresses_not_copied", job=directory.name, detail=str(error))

    def close(self) -> None:
        """Close the connection."""
        self._server.close()

    def _copy(self, directory: Path, name: str, announced: Announced) -> None:
        if self._copied.get((directory, name)) == announced:
            return
        if is_news(directory, name, announced):
            announce(directory, name=name, address=announced.address, token=announced.token)
        self._copied[directory, name] = announced


def is_news(directory: Path, name: str, announced: Announced) -> bool:
    """Whether the directory does not say this of a coordinator already, or something later."""
    if address_of(directory, name=name) != announced.address:
        return True
    leader = latest_leader(directory)
    return announced.token > (leader.token if leader is not None else 0)
