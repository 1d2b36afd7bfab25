"""Counts what an example does for Hotswap."""

import ast
from pathlib import Path

MARK = "# hotswap "

#: These stand where an ordinary script has a line of its own: its DataLoader, the next batch of it,
#: and a log.
REPLACEMENTS = {"hotswap.Loader", "step.batch", "step.report"}


def marked_lines(path: Path) -> list[int]:
    """Return the lines that the script marks, by number."""
    lines = path.read_text().splitlines()
    return [number for number, line in enumerate(lines, start=1) if MARK in line]


def protecting_lines(path: Path) -> list[int]:
    """Return the lines that do something with Hotswap beside replacing an ordinary one."""
    nodes = ast.walk(ast.parse(path.read_text()))
    statements = [node for node in nodes if isinstance(node, ast.stmt | ast.expr)]
    return sorted({node.lineno for node in statements if _protects(node)})


def _protects(node: ast.AST) -> bool:
    match node:
        case ast.Import(names=[ast.alias(name="hotswap")]) | ast.ImportFrom(module="hotswap"):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="hotswap" | "run" | "step"))):
            return ast.unparse(node.func) not in REPLACEMENTS
        case ast.With(items=[ast.withitem(context_expr=ast.Name(id="step"))]):
            return True
        case _:
            return False
