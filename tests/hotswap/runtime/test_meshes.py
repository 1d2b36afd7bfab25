"""Device meshes: those that do not fit the job, and those of a script that runs again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from torch.distributed.device_mesh import DeviceMesh

from hotswap.runtime import meshes

SCRIPT = """
import hotswap
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

run = hotswap.join()
mesh = init_device_mesh("cpu", {sizes}, mesh_dim_names=("replica", "shard"))
fully_shard(nn.Linear(4, 4), mesh=mesh[{dimensions}])
"""


@pytest.mark.slow_processes
@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    ("ranks", "sizes", "line", "said"),
    [
        (2, (2, 2), 8, "has 4 places, and the job 2 ranks: make the product of the mesh's sizes 2"),
        (3, (2, 1), 9, "has 2 places, and the job 3 ranks: make the product of the mesh's sizes 3"),
    ],
)
def test_a_mesh_that_does_not_fit_the_job_is_named_with_both_numbers(
    tmp_path: Path, ranks: int, sizes: tuple[int, int], line: int, said: str
) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT.format(sizes=sizes, dimensions='"replica", "shard"'))
    command = [sys.executable, "-m", "hotswap.cli", "run", "--job", "lab", "--no-respawn"]
    done = subprocess.run(
        [*command, "--ranks", str(ranks), "--standbys", "0", str(script)],
        env={**os.environ, "HOTSWAP_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode != 0
    assert f"mesh_does_not_fit: {script}:{line}: a device mesh {said}" in done.stdout + done.stderr


def test_a_script_that_runs_again_makes_meshes_that_equal_none_of_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise torch takes from its caches how to reduce over the former rank's groups."""

    def mesh() -> DeviceMesh:
        return DeviceMesh("cpu", [0, 1], _init_backend=False, _rank=0)

    # so that what replaces it is taken back
    monkeypatch.setattr(DeviceMesh, "__init__", DeviceMesh.__init__)
    first = mesh()
    assert (first, hash(first)) == (mesh(), hash(mesh()))
    meshes.set_apart(2)
    second = mesh()
    assert (second, hash(second)) == (mesh(), hash(mesh()))
    meshes.set_apart(3)
    assert len({first, second, mesh()}) == 3
