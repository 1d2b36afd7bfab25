"""A PostgreSQL server of the machine's own programs, in a directory of its own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dev.stack.parts import Service, Step
from dev.stack.ports import LOOPBACK, listens

if TYPE_CHECKING:
    from dev.stack.parts import Part

#: Where distributions put the newest of several versions.
_DEBIAN: Final = Path("/usr/lib/postgresql")
#: The server refuses to run as root: who runs it then.
_ACCOUNT: Final = "postgres"
DATABASE: Final = "hotswap"


def postgres_programs() -> Path | None:
    """Return the folder of ``postgres`` and ``initdb``; None: there are none here."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return versions[-1].parent if versions else None


def postgres_url(port: int) -> str:
    """Return the address of the database."""
    return f"postgresql://{_ACCOUNT}@{LOOPBACK}:{port}/{DATABASE}"


def postgres_parts(*, directory: Path, port: int) -> list[Part]:
    """Return what makes and runs a server whose data lie below ``directory``.

    Raises SystemExit where PostgreSQL is not installed.
    """
    programs = postgres_programs()
    if programs is None:
        raise SystemExit("PostgreSQL is not installed; on Debian: apt-get install postgresql")
    data = directory / "postgres"
    _make_folder(data)
    words = (str(programs / "initdb"), "--auth=trust", f"--username={_ACCOUNT}", "-E", "UTF8")
    # on one machine each program that can connect can read the files as well: no password
    make = f'test -s "{data}/PG_VERSION" || {" ".join(words)} --no-sync --pgdata="{data}"'
    server = f"-h {LOOPBACK} -p {port} -U {_ACCOUNT}"
    create = (
        f'"{programs}/psql" {server} -d {DATABASE} -c "" 2>/dev/null || '
        f'"{programs}/createdb" {server} {DATABASE}'
    )
    serve = (str(programs / "postgres"), "-D", str(data), "-h", LOOPBACK, "-p", str(port))
    return [
        Step(name="make database", command=(*_as_account(), "sh", "-c", make)),
        Service(
            name="database",
            command=(*_as_account(), *serve, "-k", ""),
            ready=listens(port),
            # SIGTERM waits until every client has gone
            interrupt=True,
        ),
        Step(name="create database", command=("sh", "-c", create)),
    ]


def _make_folder(data: Path) -> None:
    """Make the folder, for the account that the server runs as."""
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    if os.geteuid() == 0:
        shutil.chown(data, _ACCOUNT, _ACCOUNT)
        for parent in data.parents:  # the account has to get there
            if not parent.stat().st_mode & 0o001 and parent.owner() == "root":
                parent.chmod(parent.stat().st_mode | 0o001)


def _as_account() -> tuple[str, ...]:
    """Return what goes before a command that must not run as root."""
    if os.geteuid() != 0:
        return ()
    return (
        "setpriv",
        f"--reuid={_ACCOUNT}",
        f"--regid={_ACCOUNT}",
        "--clear-groups",
        # setpriv changes the account, and with that forgets that the child dies with its parent
        "--pdeathsig=KILL",
    )
