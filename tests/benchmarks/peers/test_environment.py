"""The peers are installed once, again when a pin changes, and apart from the product."""

import subprocess
import venv
from pathlib import Path

import pytest

from benchmarks.peers import environment
from benchmarks.peers.system import SystemUnavailable


@pytest.fixture
def installs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Record what would be installed, into a directory of this test's own."""
    commands: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command[4:])
        return subprocess.CompletedProcess(command, 0, "", "")

    def create(directory: Path, **_: object) -> None:
        directory.mkdir(exist_ok=True)

    monkeypatch.setattr(environment, "DIRECTORY", tmp_path / "venv")
    monkeypatch.setattr(venv, "create", create)
    monkeypatch.setattr(subprocess, "run", run)
    return commands


def test_it_is_installed_once(installs: list[list[str]]) -> None:
    environment.prepare()
    assert len(installs) == 2
    environment.prepare()
    assert len(installs) == 2


def test_it_is_installed_again_when_something_else_is_asked_for(
    installs: list[list[str]],
) -> None:
    environment.prepare()
    (environment.DIRECTORY / "installed.sha256").write_text("of other pins")
    environment.prepare()
    assert len(installs) == 4


def test_what_cannot_be_installed_is_said_in_pip_s_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installs: list[list[str]]
) -> None:
    def fail(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "noise\nERROR: no such version\n")

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(SystemUnavailable, match="ERROR: no such version"):
        environment.prepare()
    assert not (tmp_path / "venv" / "installed.sha256").exists()
    assert installs == []


def test_every_peer_is_pinned_exactly() -> None:
    folder = Path(environment.__file__).parent
    for path in folder.glob("requirements*.txt"):
        lines = [line for line in path.read_text().splitlines() if line and line[0] != "#"]
        assert lines
        assert all("==" in line for line in lines)
