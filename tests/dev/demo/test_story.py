"""What the demo says when its job does not come to train."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from dev.demo.story import wait_protected
from dev.stack.supervisor import PartFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from dev.demo.client import Person
    from dev.demo.world import World

FAILED = {
    "state": "failed",
    "end_reason": "node-2 ended with exit status 1 before a step",
    "ended_at": "2026-11-30T06:04:32Z",
}
TRAINS = {"ended_at": None, "state": "running", "protection": "protected", "committed_step": 20}


def world() -> World:
    """Return a world in which one look is enough."""

    def look(find: Callable[[], dict[str, Any] | None], what: str, **_: object) -> object:
        found = find()
        assert found, what
        return found

    return cast("World", SimpleNamespace(wait=look, layout=SimpleNamespace(directory=Path("runs"))))


def person(job: dict[str, Any]) -> Person:
    return cast("Person", SimpleNamespace(get=lambda _: job))


def test_a_job_that_has_ended_is_not_waited_for() -> None:
    with pytest.raises(PartFailed) as failed:
        wait_protected(world(), person(FAILED), "1")
    assert str(failed.value) == (
        "the job has failed: node-2 ended with exit status 1 before a step; "
        "its logs are in runs/jobs"
    )


def test_a_job_that_is_protected_and_has_validated_is_ready() -> None:
    job = {**TRAINS, "validation_loss": 3.0}
    assert wait_protected(world(), person(job), "1") == job
