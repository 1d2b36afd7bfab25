"""Everything but the agent works without what only an agent needs."""

import subprocess
import sys

BLOCKED = "import sys; sys.modules.update(dict.fromkeys(('cryptography', 'httpx', 'redis')))"


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", f"{BLOCKED}; sys.path[:0] = {sys.path!r}; {code}"],
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )


def test_the_package_its_wire_and_its_coordinators_need_none_of_it() -> None:
    modules = "hotswap, hotswap.cli, hotswap.coordinator.server, hotswap.node.run"
    plane = "hotswap.wire.plane"
    done = run(f"import {modules}, {plane}; sys.exit('torch' in sys.modules)")
    assert done.returncode == 0, done.stderr


def test_an_agent_says_what_to_install() -> None:
    done = run("from hotswap.cli import main; sys.exit(main(['agent']))")
    assert done.returncode == 2
    assert "pip install 'hotswap[agent]'" in done.stderr


def test_a_coordinator_with_a_server_says_what_to_install() -> None:
    code = (
        "import asyncio, pathlib; "
        "from hotswap.coordinator.settings import Settings; "
        "from hotswap.coordinator.shared import open_shared; "
        "asyncio.run(open_shared(Settings(job_directory=pathlib.Path('x'), name='c', world_size=1, "
        "key=b'k' * 32, checkpoint_directory=pathlib.Path('x'), redis_url='redis://h')))"
    )
    done = run(code)
    assert "HOTSWAP_REDIS_URL is set, and redis is not installed" in done.stderr
