"""A process that answers requests begins with all that it will need, out of collections' way."""

import subprocess
import sys

import pytest

BEGINS = """
import gc, importlib, sys
importlib.import_module(sys.argv[1])
print(gc.get_freeze_count(), "apps.swaps.urls" in sys.modules)
"""


@pytest.mark.parametrize("application", ["controlplane.asgi", "controlplane.agent_asgi"])
def test_what_was_loaded_is_looked_at_by_no_collection(application: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BEGINS, application],
        env={"HOTSWAP_DEVELOPMENT": "1", "PATH": "/usr/bin"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    frozen, loaded = done.stdout.split()
    assert int(frozen) > 100_000
    assert loaded == "True"
