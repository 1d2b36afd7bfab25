"""Nothing in the repository speaks of one machine, and nothing is left for later unsaid."""

import re

import pytest

from tests.tidy.tree import ROOT, files, python_files, shown

# patterns are put together here so that this file does not hold what it looks for
FORBIDDEN = {
    "a path of one machine": re.compile(
        "|".join(("/wo" + r"rk/", "/ro" + r"ot/", "/ho" + r"me/\w", "/op" + "t/(wheels|pypi)"))
    ),
    "a marker for later: do it, or file it": re.compile(
        r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b"
    ),
    "a package index": re.compile("extra-index" + "-url|--index" + "-url|find" + "-links"),
}
SKIPPED = re.compile(r"\b(pytest\.(skip|xfail|importorskip)|mark\.(skip|skipif|xfail))\b")
TEXT = {".py", ".md", ".toml", ".txt", ".yml", ".yaml", ".cfg", ".sh", ".json", ""}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(what: str) -> None:
    found = [
        f"{shown(path)}:{number}"
        for path in files()
        if path.suffix in TEXT
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if FORBIDDEN[what].search(line)
    ]
    assert found == []


def test_no_test_is_skipped() -> None:
    found = [
        f"{shown(path)}:{number}"
        for path in python_files(ROOT / "tests")
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if SKIPPED.search(line) and path.name != "test_texts.py"
    ]
    assert found == []


def test_every_text_ends_with_one_newline() -> None:
    ends = {
        shown(path): path.read_bytes()[-2:]
        for path in files()
        if path.suffix in TEXT and path.stat().st_size
    }
    assert [path for path, end in ends.items() if not end.endswith(b"\n") or end == b"\n\n"] == []
