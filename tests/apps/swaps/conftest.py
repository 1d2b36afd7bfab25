"""A world and its runtime."""

import pytest

from tests.apps.swaps.runtime import Runtime
from tests.apps.swaps.world import World


@pytest.fixture
def world(db: None) -> World:
    del db
    return World()


@pytest.fixture
def runtime(world: World) -> Runtime:
    return Runtime(world)
