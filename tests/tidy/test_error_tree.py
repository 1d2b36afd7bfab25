"""The tree drawn at the top of `hotswap.errors` is the tree that the classes make."""

import re

import hotswap.errors
from hotswap.errors import HotswapError
from tests.tidy.tree import PACKAGE, python_files

LINE = re.compile(r"^    (?P<branches>(?:│   |    )*)[├└]── (?P<name>\w+)\s+(?P<advice>\S.*)$")


def drawn() -> dict[str, tuple[str, str]]:
    """Return parent and advice of every class in the drawing."""
    found: dict[str, tuple[str, str]] = {}
    above = ["HotswapError"]
    for line in (hotswap.errors.__doc__ or "").splitlines():
        match = LINE.match(line)
        if match:
            depth = len(match["branches"]) // 4
            above[depth + 1 :] = [match["name"]]
            found[match["name"]] = (above[depth], match["advice"])
    return found


def coded() -> dict[str, str]:
    """Return the parent of every class; a base that is not exported is left out of the line."""
    exported = {name: getattr(hotswap.errors, name) for name in hotswap.errors.__all__}

    def parent(error: type[HotswapError]) -> str:
        return next(base for base in error.__bases__ if base in exported.values()).__name__

    return {name: parent(error) for name, error in exported.items() if error is not HotswapError}


def test_the_drawing_is_the_tree() -> None:
    assert {name: parent for name, (parent, _) in drawn().items()} == coded()


def test_every_line_of_the_drawing_says_something() -> None:
    assert len(drawn()) > 40
    assert all(len(advice.split()) > 1 for _, advice in drawn().values())


def test_every_error_has_one_sentence_of_its_own() -> None:
    sentences = [getattr(hotswap.errors, name).__doc__ for name in drawn()]
    assert all(sentence.endswith(".") and "\n" not in sentence for sentence in sentences)
    assert len(set(sentences)) == len(sentences)


def test_every_error_is_raised_or_caught_somewhere() -> None:
    parents = {parent for parent, _ in drawn().values()}
    text = "\n".join(
        path.read_text() for path in python_files(PACKAGE) if PACKAGE / "errors" not in path.parents
    )
    words = set(re.findall(r"\w+", text))
    assert {name for name in drawn() if name not in words and name not in parents} == set()
