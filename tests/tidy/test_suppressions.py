"""Whoever silences a check says why: beside it, above it, or where the file first does so."""

import io
import re
import tokenize
from collections.abc import Iterator
from textwrap import dedent

from tests.tidy.tree import python_files, shown

SUPPRESSION = re.compile(
    r"#\s*(?:noqa\b:?\s*(?P<ruff>[A-Z]+\d+(?:,\s*[A-Z]+\d+)*)?"
    r"|type:\s*ignore(?P<mypy>\[[^\]]+\])?"
    r"|ast-grep-ignore(?::\s*(?P<ast_grep>[a-z-]+))?)"
    r"(?P<reason>.*)"
)
WORD = re.compile(r"[A-Za-z]{2,}")


def complaints(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and what is missing, for each comment that silences a check."""
    comments = {
        token.start[0]: token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    }
    explained = set()
    for number, comment in comments.items():
        found = SUPPRESSION.search(comment)
        if not found:
            continue
        rules = found["ruff"] or found["mypy"] or found["ast_grep"]
        above = comments.get(number - 1, "")
        if not rules:
            yield number, "name the rule"
        elif WORD.search(found["reason"]) or (above and not SUPPRESSION.search(above)):
            explained.add(rules)
        elif rules not in explained:
            yield number, f"say why {rules}"


def test_a_rule_has_to_be_named() -> None:
    code = "import a  # noqa\nimport b  # type: ignore\n"
    assert list(complaints(code)) == [(1, "name the rule"), (2, "name the rule")]


def test_a_reason_stands_beside_above_or_where_the_file_first_needs_it() -> None:
    code = """
        import a  # noqa: F401 - kept for those who import it from here
        import b  # noqa: F401
        # torch does not export it
        from c import d  # type: ignore[attr-defined]
    """
    assert list(complaints(dedent(code))) == []


def test_a_silent_suppression_is_found() -> None:
    code = "import a  # noqa: F401\nimport b  # type: ignore[attr-defined]\n"
    assert list(complaints(code)) == [(1, "say why F401"), (2, "say why [attr-defined]")]


def test_every_suppression_names_its_rule_and_its_reason() -> None:
    found = [
        f"{shown(path)}:{number}: {complaint}"
        for path in python_files()
        if path.name != "test_suppressions.py"
        for number, complaint in complaints(path.read_text())
    ]
    assert "\n".join(found) == ""
