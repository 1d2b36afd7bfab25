"""Every folder of the package is a package, and importing one does no work."""

import ast
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.tidy.tree import PACKAGES, python_files, shown, syntax


def is_literal(value: ast.expr) -> bool:
    """Whether a value is written out, as ``__all__`` is, and not computed."""
    try:
        ast.literal_eval(value)
    except ValueError:
        return False
    return True


def work_of(module: ast.Module) -> Iterator[ast.stmt]:
    """Yield what an ``__init__`` does beside a docstring, imports and literals."""
    for node in module.body:
        match node:
            case ast.Expr(value=ast.Constant(value=str())) | ast.Import() | ast.ImportFrom():
                pass
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value) if is_literal(
                value
            ):
                pass
            # re-exports that are only there for type checkers, or looked up when first asked for
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=[]):
                yield from work_of(ast.Module(body=node.body, type_ignores=[]))
            case ast.FunctionDef(name="__getattr__" | "__dir__"):
                pass
            case _:
                yield node


def test_re_exports_are_no_work() -> None:
    code = '"""Doc."""\nfrom a.b import c\nimport d\n__all__ = ["c", "d"]\n'
    code += "if TYPE_CHECKING:\n    import e\ndef __getattr__(name): ...\n"
    assert list(work_of(ast.parse(code))) == []


def test_anything_else_is_work() -> None:
    code = "x = g(1)\nf()\ndef g(): ...\nfor _ in y: pass\nif z: import a\n"
    assert len(list(work_of(ast.parse(code)))) == 5


def test_no_init_does_work() -> None:
    found = {
        f"{shown(path)}:{node.lineno}"
        for path in python_files()
        if path.name == "__init__.py"
        for node in work_of(syntax(path))
    }
    assert found == set()


def test_every_folder_with_code_has_an_init_with_a_docstring() -> None:
    folders = {path.parent for package in PACKAGES for path in python_files(package)}
    inits = {folder / "__init__.py" for folder in folders}
    assert {shown(init) for init in inits if not init.is_file()} == set()
    assert {shown(init) for init in inits if ast.get_docstring(syntax(init)) is None} == set()


@pytest.mark.parametrize("module", ["hotswap.cli", "hotswap.limits", "hotswap.wire"])
def test_what_needs_no_torch_starts_without_it(module: str) -> None:
    code = f"import sys, {module}; sys.exit('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=30)
    assert done.returncode == 0
