"""What is installed is pinned once, in agreement, and somebody said why."""

import re
import tomllib
from itertools import combinations

from tests.tidy.tree import ROOT

PIN = re.compile(r"^([a-z0-9-]+)==(\S+)$", re.MULTILINE)


def declared() -> dict[str, str]:
    """Return the versions that the distribution asks for."""
    project = tomllib.loads((ROOT / "agents" / "pyproject.toml").read_text())["project"]
    return dict(PIN.findall("\n".join(project["dependencies"])))


def locked(name: str) -> dict[str, str]:
    """Return the versions in a requirements file."""
    return dict(PIN.findall((ROOT / "requirements" / name).read_text()))


def test_every_dependency_is_pinned_exactly() -> None:
    project = tomllib.loads((ROOT / "agents" / "pyproject.toml").read_text())["project"]
    assert len(declared()) == len(project["dependencies"])


def test_the_lock_file_holds_what_the_distribution_asks_for() -> None:
    runtime = locked("runtime.txt")
    assert declared() == {name: runtime.get(name) for name in declared()}


def test_nothing_is_pinned_twice() -> None:
    for one, other in combinations(("runtime.txt", "plane.txt", "dev.txt"), 2):
        assert set(locked(one)) & set(locked(other)) == set()


def test_every_dependency_has_a_reason() -> None:
    page = (ROOT / "docs" / "reference" / "dependencies.md").read_text()
    chosen = "".join(
        (ROOT / "requirements" / name).read_text().split("# pulled in")[0]
        for name in ("plane.txt", "dev.txt")
    )
    named = set(re.findall(r"^\| `([a-z0-9-]+)` \| \S", page, re.MULTILINE))
    assert named == set(declared()) | set(dict(PIN.findall(chosen)))
