"""The peers' own Python environment, made on demand: nothing of theirs reaches the product's."""

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks.peers.processes import REPOSITORY
from benchmarks.peers.system import SystemUnavailable

DIRECTORY = REPOSITORY / ".venv-peers"
# lm-resiliency alone, for the PYTHONPATH of its own runs
LM_RESILIENCY = DIRECTORY / "lm-resiliency"
_HERE = Path(__file__).parent
_INSTALL_LIMIT_S = 900.0


def binary(name: str) -> Path:
    """Return the path of a program of the environment."""
    return DIRECTORY / "bin" / name


def prepare() -> None:
    """Install what the requirements pin, unless exactly that has been installed before.

    Raises:
        SystemUnavailable: it cannot be installed here; the message has pip's last line.

    """
    requirements = _HERE / "requirements.txt"
    beside = _HERE / "requirements-lm-resiliency.txt"
    stamp = DIRECTORY / "installed.sha256"
    wanted = hashlib.sha256(requirements.read_bytes() + beside.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    print("installing the peers into .venv-peers", file=sys.stderr)
    venv.create(DIRECTORY, with_pip=True, clear=True, symlinks=True)
    _pip("--requirement", str(requirements))
    _pip("--no-deps", "--target", str(LM_RESILIENCY), "--requirement", str(beside))
    stamp.write_text(wanted)


def _pip(*arguments: str) -> None:
    """Install with the environment's own pip, as it is configured on this machine."""
    command = (str(binary("python")), "-m", "pip", "install", "--quiet", *arguments)
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_INSTALL_LIMIT_S
        )
    except subprocess.TimeoutExpired as error:
        raise SystemUnavailable(f"pip did not end within {_INSTALL_LIMIT_S:.0f} s") from error
    if result.returncode:
        last = (result.stderr.strip().splitlines() or ["no message"])[-1]
        raise SystemUnavailable(f"pip cannot install the peers: {last}")
