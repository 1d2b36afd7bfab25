"""The process that agents talk to: ``python -m controlplane.agent_server``.

HTTPS on a port of its own. The server's certificate comes from the plane's authority, made anew at
each start; agents show theirs, except where they enrol.
"""

import argparse
import os
import ssl
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import django
import structlog
import uvicorn

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.settings")
django.setup()

# only now can apps be imported
from django.conf import settings  # noqa: E402 - as said above

from apps.accounts.authority import CERTIFICATE_FILE, Authority  # noqa: E402 - as said above
from apps.core import clock  # noqa: E402 - as said above
from controlplane.agent_protocol import AgentProtocol  # noqa: E402 - as said above

_log = structlog.get_logger()

PORT_DEFAULT: Final = 8443
#: An idle connection is kept for so long: longer than agents wait for a command, s.
KEEP_ALIVE_S: Final = 75
#: What is under way when the server is to end is given so long, s.
SHUTDOWN_S: Final = 12
CONNECTIONS_MAX: Final = 20_000
BACKLOG_MAX: Final = 1_024


def server(*, host: str, port: int, names: Sequence[str]) -> uvicorn.Server:
    """Return the server, ready to run.

    Args:
        host: address to listen on.
        port: port to listen on.
        names: names and addresses by which agents reach it, for its certificate.
    """
    folder, now = Path(settings.HOTSWAP_AUTHORITY_DIR), clock.now()
    authority = Authority.load(folder=folder, now=now)
    # gone as soon as they are loaded: several servers share the authority's folder
    with tempfile.TemporaryDirectory(prefix="hotswap-agents-") as own:
        key, certificate = authority.server_files(folder=Path(own), names=list(names), now=now)
        config = _config(host=host, port=port, key=key, certificate=certificate, folder=folder)
        config.load()
    assert config.ssl is not None, "it was given a key"
    config.ssl.minimum_version = ssl.TLSVersion.TLSv1_3
    return uvicorn.Server(config)


def _config(*, host: str, port: int, key: Path, certificate: Path, folder: Path) -> uvicorn.Config:
    return uvicorn.Config(
        "controlplane.agent_asgi:application",
        host=host,
        port=port,
        http=AgentProtocol,
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=SHUTDOWN_S,
        limit_concurrency=CONNECTIONS_MAX,
        backlog=BACKLOG_MAX,
        ssl_keyfile=str(key),
        ssl_certfile=str(certificate),
        ssl_ca_certs=str(folder / CERTIFICATE_FILE),
        ssl_cert_reqs=ssl.CERT_OPTIONAL,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT."""
    parser = argparse.ArgumentParser(prog="agent_server", description="Serve the agents' port.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=PORT_DEFAULT, help="port to listen on")
    parser.add_argument(
        "--name",
        action="append",
        default=[],
        help="name or address by which agents reach it; may be given more than once",
    )
    given = parser.parse_args(arguments)
    names = given.name or sorted({"localhost", "127.0.0.1", given.host} - {"0.0.0.0"})  # noqa: S104 - taken out, not listened on
    _log.info("agent_server.starts", host=given.host, port=given.port, names=names)
    served = server(host=given.host, port=given.port, names=names)
    served.run()
    return 0 if served.started else 1


if __name__ == "__main__":
    sys.exit(main())
