"""FSDP2 on two ranks: uneven and empty shards, mirrored, and gone on with in a model built anew."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# two processes that import torch, on a machine that may be busy
pytestmark = [pytest.mark.slow_processes, pytest.mark.timeout(120)]

ROOT = Path(__file__).parents[4]
RANKS = 2
CASES = 10
RESULT_S = 100.0


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[list[dict[str, Any]]]:
    """Return what each rank found, for each optimizer."""
    store = tmp_path_factory.mktemp("store") / "store"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'agents'}:{ROOT}", "OMP_NUM_THREADS": "1"}
    module = "tests.hotswap.runtime.capsule.fsdp_rank"
    processes = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-m", module, str(rank), str(RANKS), str(store)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(RANKS)
    ]
    try:
        outputs = [process.communicate(timeout=RESULT_S) for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert [process.returncode for process in processes] == [0] * RANKS, outputs
    return [json.loads(out) for out, _ in outputs]


def everywhere(results: list[list[dict[str, Any]]], key: str) -> list[Any]:
    found = [case[key] for cases in results for case in cases]
    assert len(found) == RANKS * CASES
    return found


def test_a_mirror_of_a_shard_holds_the_owners_bits(results: list[list[dict[str, Any]]]) -> None:
    assert all(everywhere(results, "mirror_complete"))
    assert everywhere(results, "mirror_differs") == [[]] * RANKS * CASES
    assert min(everywhere(results, "tensors")) >= 16


def test_a_model_built_anew_goes_on_bit_for_bit(results: list[list[dict[str, Any]]]) -> None:
    assert all(everywhere(results, "loss_same"))
    assert everywhere(results, "state_differs") == [[]] * RANKS * CASES
    assert all(everywhere(results, "small_same"))


def test_the_optimizer_state_is_distributed_as_the_optimizer_would_have_it(
    results: list[list[dict[str, Any]]],
) -> None:
    # for each of eight parameters: AdamW has two moments and a largest second one, and so on
    assert [case["distributed"] for case in results[0]] == [24, 16, 8, 8, 16, 16, 8, 16, 16, 24]
    assert all(everywhere(results, "kept_as_unprotected"))


def test_a_step_over_shards_makes_the_bits_of_one_over_distributed_tensors(
    results: list[list[dict[str, Any]]],
) -> None:
    assert all(everywhere(results, "as_unprotected"))
    assert everywhere(results, "differs_from_unprotected") == [[]] * RANKS * CASES


def test_shards_are_uneven_and_some_are_empty(results: list[list[dict[str, Any]]]) -> None:
    assert [case["shard_sizes"] for case in (results[0][0], results[1][0])] == [[1, 4], [0, 3]]
