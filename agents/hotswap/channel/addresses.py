"""Where the coordinators of a job listen: one small file each in the job's directory.

A coordinator announces itself once it listens, and again, with its fencing token, once it leads.
Whoever looks for the leader tries all of them, the highest token first; a member, whose leader may
be frozen, where the connection shows nothing, sees by `latest_leader` that another one leads. The
file of one that was killed stays until the launcher withdraws it; it does no harm, as nobody
answers.
"""

import os
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

#: Folder of the files, in the directory of the job.
FOLDER: Final = "coordinators"
#: Largest file that is read, bytes.
FILE_NBYTES_MAX: Final = 4096


class Address(NamedTuple):
    """Where a coordinator listens; goes into `socket.create_connection` as it is."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Leader(NamedTuple):
    """Where a coordinator listens that leads, or has led."""

    address: Address
    # fencing token under which it leads
    token: int


class _Announcement(msgspec.Struct, frozen=True, kw_only=True):
    host: str
    port: int
    # 0: it does not lead
    token: int = 0


def announce(job_directory: Path, *, name: str, address: Address, token: int = 0) -> None:
    """Say that the coordinator ``name`` listens at ``address``; replaces what it said before.

    Args:
        job_directory: where whoever looks for the coordinators looks.
        name: of the coordinator.
        address: where it listens.
        token: fencing token under which it leads; 0: it does not lead.

    Raises:
        OSError: the directory cannot be written.

    """
    folder = job_directory / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    encoded = msgspec.json.encode(_Announcement(host=address.host, port=address.port, token=token))
    # renamed into its place, so that nobody reads a part of it
    temporary = folder / f".{name}.{os.getpid()}.tmp"
    temporary.write_bytes(encoded)
    temporary.replace(folder / f"{name}.json")


def withdraw(job_directory: Path, *, name: str) -> None:
    """Say that the coordinator ``name`` is gone; idempotent."""
    (job_directory / FOLDER / f"{name}.json").unlink(missing_ok=True)


def known_addresses(job_directory: Path) -> tuple[Address, ...]:
    """Return where coordinators listen, or have listened.

    The latest known leader comes first, then the other one announced last.
    """
    found = []
    for path in (job_directory / FOLDER).glob("*.json"):
        said = _read(path)
        if said is not None:
            announced_ns, announcement = said
            found.append((announcement.token, announced_ns, path.name, _address(announcement)))
    return tuple(address for _, _, _, address in sorted(found, reverse=True))


def latest_leader(job_directory: Path) -> Leader | None:
    """Return the leader with the highest token so far; None: nobody has led yet."""
    said = (_read(path) for path in (job_directory / FOLDER).glob("*.json"))
    leaders = [Leader(_address(each), each.token) for _, each in filter(None, said) if each.token]
    return max(leaders, key=lambda leader: leader.token, default=None)


def address_of(job_directory: Path, *, name: str) -> Address | None:
    """Return where the coordinator ``name`` listens; None: it has not said so."""
    said = _read(job_directory / FOLDER / f"{name}.json")
    return None if said is None else _address(said[1])


def parse_address(text: str) -> Address:
    """Return the address that ``str`` of it gives.

    Raises `ValueError` when it is none.
    """
    host, separator, port = text.rpartition(":")
    if not (host and separator):
        raise ValueError(f"{text!r} is not HOST:PORT")
    return Address(host, int(port))


def _read(path: Path) -> tuple[int, _Announcement] | None:
    """Return what a file says and when it was written, in ns of the file system's clock."""
    try:
        announced_ns = path.stat().st_mtime_ns
        with path.open("rb") as file:
            said = msgspec.json.decode(file.read(FILE_NBYTES_MAX), type=_Announcement)
    except (OSError, msgspec.DecodeError):
        return None  # withdrawn in between, or not written by `announce`: nobody listens there
    return announced_ns, said


def _address(said: _Announcement) -> Address:
    return Address(said.host, said.port)
