"""A script that has to run again, for another rank."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from hotswap.runtime import bootstrap, session

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import weakref
import kept
from hotswap.runtime import session

class Model:
    pass

model = Model()
model.itself = model
kept.models.append(weakref.ref(model))
kept.living.append(sum(each() is not None for each in kept.models))
if len(kept.models) < 3:
    raise session.StartOver
"""


class Told:
    """Stands for the member of the process; remembers how it was left."""

    def __init__(self) -> None:
        self.left: list[bool] = []

    def leave(self, *, ok: bool, detail: str) -> None:
        assert detail == ""
        self.left.append(ok)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a module that the script imports, and that stays when it starts over."""
    module: Any = ModuleType("kept")
    module.models, module.living = [], []
    monkeypatch.setitem(sys.modules, "kept", module)
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    return module


def test_what_a_script_has_built_is_freed_before_it_runs_again(
    tmp_path: Path, kept: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    member = Told()
    monkeypatch.setattr(session.current, "member", member)
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    assert bootstrap.main([str(script)]) == 0
    assert kept.living == [1, 1, 1]
    assert member.left == [True]
