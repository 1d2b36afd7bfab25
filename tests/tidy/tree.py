"""The files of this repository, for the tests that look at them as text or as syntax."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "agents" / "hotswap"
# what runs in production, and is held to more than scripts and tests are
PACKAGES = (PACKAGE, ROOT / "apps", ROOT / "controlplane", ROOT / "workers")


@cache
def files() -> tuple[Path, ...]:
    """Return every file that is, or could be, committed; sorted."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=30,
    )
    names = sorted(name for name in listing.stdout.decode().split("\0") if name)
    # a file that is deleted but not yet committed as deleted is still listed
    return tuple(path for path in (ROOT / name for name in names) if path.is_file())


def python_files(below: Path = ROOT) -> list[Path]:
    """Return the Python files in and below a folder."""
    return [path for path in files() if path.suffix == ".py" and path.is_relative_to(below)]


@cache
def syntax(path: Path) -> ast.Module:
    """Return the parsed file."""
    return ast.parse(path.read_text(), str(path))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function and method of a file, nested ones too."""
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def shown(path: Path) -> str:
    """Return a path as a reader knows it."""
    return str(path.relative_to(ROOT))
