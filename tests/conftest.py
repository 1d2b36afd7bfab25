"""What every test stands on: known surroundings, seeds, one heavy test at a time, no leftovers."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.append_only import lift_append_only_while_flushing

# Before torch is imported anywhere: a rank of a test has one core at most, and whatever the person
# has exported for a job of theirs is not part of what is tested.
os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")
for name in [name for name in os.environ if name.startswith("HOTSWAP_")]:
    del os.environ[name]

# A shell ignores SIGINT for what it starts in the background, and nohup SIGHUP; so would all that
# tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# No deadline: on a busy machine a slow example says nothing about the code. A failing example is
# printed with the line that repeats it.
hypothesis.settings.register_profile("repository", deadline=None, print_blob=True)
hypothesis.settings.load_profile("repository")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort out what is for another database, and put slow tests where they are one at a time."""
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        others = [item for item in items if item.get_closest_marker("postgresql")]
        items[:] = [item for item in items if item not in others]
        config.hook.pytest_deselected(items=others)
    for item in items:
        # all tests that start training jobs on one worker: two at a time would be too slow
        if item.get_closest_marker("slow_processes"):
            item.add_marker(pytest.mark.xdist_group("slow_processes"))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say how to repeat a failing run."""
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        seed = config.getoption("randomly_seed", default=None)
        if seed is not None:
            terminalreporter.write_line(f"repeat with: pytest --randomly-seed={seed}")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:  # noqa: ARG001 - it goes first
    """Let tests that commit be tidied up after: the audit trail's rows are refused deletion."""
    lift_append_only_while_flushing()


@pytest.fixture(autouse=True)
def _seed_torch(pytestconfig: pytest.Config) -> None:
    """Seed torch as pytest-randomly seeds the rest; not imported for tests that do without."""
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(pytestconfig.getoption("randomly_seed"))


@pytest.fixture(autouse=True)
def _no_process_left() -> Iterator[None]:
    """Fail a test that leaves a child process behind, and end the child."""
    before = _children()
    yield
    left = {pid: command for pid, command in _children().items() if pid not in before}
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
    assert not left, f"processes left behind: {left}"


def _children() -> dict[int, str]:
    """Return command lines of living child processes by pid, without multiprocessing's helpers."""
    found = {}
    for thread in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):
            for pid in (thread / "children").read_text().split():
                command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
                found[int(pid)] = command.strip()
    helpers = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")
    return {
        pid: command
        for pid, command in found.items()
        # a command line is empty when the process has ended and only waits to be reaped
        if command and not any(helper in command for helper in helpers)
    }
