"""Every page can be found, and every link leads somewhere."""

import re
from pathlib import Path

from tests.tidy.tree import ROOT, files, shown

LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)")
# a fenced block holds examples, not links
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def links(path: Path) -> list[Path]:
    """Return where a page's relative links lead."""
    text = FENCED.sub("", path.read_text())
    return [(path.parent / target).resolve() for target in LINK.findall(text)]


def test_every_link_leads_somewhere() -> None:
    broken = [
        f"{shown(page)}: {target}"
        for page in files()
        if page.suffix == ".md"
        for target in links(page)
        if not target.exists()
    ]
    assert broken == []


def test_every_page_is_in_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    pages = {
        path for path in files() if path.suffix == ".md" and path.is_relative_to(ROOT / "docs")
    }
    assert {shown(page) for page in pages - {index} - set(links(index))} == set()
