"""Where a stack on one machine keeps its files and listens. Pure, but for `choose`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dev.stack.ports import LOOPBACK, free_port
from dev.stack.postgres import postgres_url

if TYPE_CHECKING:
    from pathlib import Path

WEB_PORT: Final = 8080
AGENT_PORT: Final = 8443


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Files and ports of one stack."""

    # everything that it leaves behind lies below
    directory: Path
    # REST, live view and front end
    web_port: int
    # agents, by TLS with client certificates
    agent_port: int
    # broker, channel layer, leases
    valkey_port: int
    # None: SQLite
    postgres_port: int | None = None

    @property
    def web_url(self) -> str:
        """Address for browsers."""
        return f"http://{LOOPBACK}:{self.web_port}"

    @property
    def agent_url(self) -> str:
        """Address for agents; the certificate of the plane is made out to it."""
        return f"https://{LOOPBACK}:{self.agent_port}"

    @property
    def redis_url(self) -> str:
        """Address of Valkey."""
        return f"redis://{LOOPBACK}:{self.valkey_port}/0"

    @property
    def database_url(self) -> str:
        """Address of the database."""
        if self.postgres_port is not None:
            return postgres_url(self.postgres_port)
        return f"sqlite:///{self.directory / 'plane.sqlite3'}"

    @property
    def authority_dir(self) -> Path:
        """Folder of the plane's own authority."""
        return self.directory / "authority"

    def environment(self) -> dict[str, str]:
        """Return the settings of the control plane's processes."""
        return {
            "HOTSWAP_DEVELOPMENT": "1",
            "DATABASE_URL": self.database_url,
            "REDIS_URL": self.redis_url,
            "HOTSWAP_AUTHORITY_DIR": str(self.authority_dir),
            # a receiver on this machine is what one has for trying webhooks out
            "HOTSWAP_WEBHOOK_PRIVATE": "1",
            "PYTHONUNBUFFERED": "1",
        }


def choose(directory: Path, *, postgres: bool = False, fixed_ports: bool = True) -> Layout:
    """Return a layout with ports that are free now: those that people know, if possible."""
    return Layout(
        directory=directory,
        web_port=free_port(preferred=WEB_PORT if fixed_ports else None),
        agent_port=free_port(preferred=AGENT_PORT if fixed_ports else None),
        valkey_port=free_port(),
        postgres_port=free_port() if postgres else None,
    )
