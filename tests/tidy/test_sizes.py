"""Files and functions stay small enough to be read in one go."""

import ast
from statistics import median, quantiles

from tests.tidy.tree import PACKAGES, functions, python_files, shown

FILE_LINES_MAX = 400
FILE_LINES_MEDIAN = 100
FUNCTION_LINES_MAX = 60
FUNCTION_LINES_P90 = 25


def function_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, without the docstring."""
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is not None:
        lines -= (first.end_lineno or first.lineno) - first.lineno + 1
    return lines


def test_a_docstring_does_not_count() -> None:
    with_docstring = ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n').body[0]
    assert isinstance(with_docstring, ast.FunctionDef)
    assert function_lines(with_docstring) == 2


def test_no_file_is_longer_than_the_limit() -> None:
    # a migration is as long as the tool that writes it makes it
    written = [path for path in python_files() if path.parent.name != "migrations"]
    lines = {shown(path): len(path.read_text().splitlines()) for path in written}
    assert {path: count for path, count in lines.items() if count > FILE_LINES_MAX} == {}


def test_the_median_file_of_the_package_is_short() -> None:
    for package in PACKAGES:
        lines = [len(path.read_text().splitlines()) for path in python_files(package)]
        assert median(lines) < FILE_LINES_MEDIAN, shown(package)


def test_no_function_is_longer_than_the_limit() -> None:
    lines = {
        f"{shown(path)}:{node.lineno} {node.name}": function_lines(node)
        for path in python_files()
        for node in functions(path)
    }
    assert {name: count for name, count in lines.items() if count > FUNCTION_LINES_MAX} == {}


def test_nine_functions_in_ten_of_the_package_fit_half_a_screen() -> None:
    for package in PACKAGES:
        lines = [function_lines(node) for path in python_files(package) for node in functions(path)]
        assert quantiles(lines, n=10)[-1] <= FUNCTION_LINES_P90, shown(package)
