"""What tests of the examples share."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch.distributed as dist

ROOT = Path(__file__).parents[2]
#: A script of several processes on a machine that is busy with other tests.
SCRIPT_S = 150

#: Takes a script and its arguments, returns what it prints.
RunScript = Callable[..., str]

TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2")


@pytest.fixture
def torchrun() -> RunScript:
    """Run an example on two ranks, as a person would without Hotswap."""

    def run(script: Path, *arguments: str) -> str:
        finished = subprocess.run(
            [sys.executable, *TORCHRUN, str(script), *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT / "agents")},
            capture_output=True,
            text=True,
            timeout=SCRIPT_S,
            check=False,
        )
        assert finished.returncode == 0, finished.stderr
        return finished.stdout

    return run


@pytest.fixture
def _one_rank(tmp_path: Path) -> Iterator[None]:
    """Have this process be the only rank of a job."""
    store = f"file://{tmp_path}/store"
    dist.init_process_group("gloo", init_method=store, rank=0, world_size=1)
    yield
    dist.destroy_process_group()


@pytest.fixture
def _alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have this process be one that plain `python` started, and tidy up after its script."""
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.delenv(name, raising=False)
    yield
    dist.destroy_process_group()
