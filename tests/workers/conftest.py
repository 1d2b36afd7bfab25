import subprocess
from collections.abc import Iterator

import pytest

from dev.stack.ports import free_port, listens
from dev.stack.valkey import valkey_command
from dev.stack.waiting import wait_until


@pytest.fixture(scope="session")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server for this session, emptied by whoever uses it."""
    folder = tmp_path_factory.mktemp("valkey")
    port = free_port()
    with subprocess.Popen(
        valkey_command(port=port, folder=folder), stdout=subprocess.DEVNULL
    ) as server:
        wait_until(listens(port), "valkey to listen", wait_s=10)
        yield f"redis://127.0.0.1:{port}/0"
        server.terminate()
