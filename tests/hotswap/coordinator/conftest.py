from collections.abc import Iterator

import pytest

from tests.hotswap.coordinator.valkey_server import Valkey


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    """A server for the whole session; each test takes keys of its own."""
    with Valkey(tmp_path_factory.mktemp("valkey")) as server:
        yield server
