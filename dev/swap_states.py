"""Writes what is made from the table of a swap's states: `python -m dev.swap_states`."""

from pathlib import Path
from typing import Final

from apps.swaps.domain import renderings

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "explanation" / "swap-workflow.md"
TYPESCRIPT: Final = ROOT / "frontend" / "src" / "generated" / "swap-states.ts"


def page_made(page: str) -> str:
    """Return the page with its made blocks made anew; the text between them stays.

    Raises:
        ValueError: a block is missing.
    """
    blocks = {
        "diagram": f"```mermaid\n{renderings.mermaid()}\n```",
        "states": renderings.markdown_states(),
        "transitions": renderings.markdown_transitions(),
    }
    for name, block in blocks.items():
        begin, end = f"<!-- made: {name} -->\n", "<!-- end -->"
        before, found, rest = page.partition(begin)
        _, ended, after = rest.partition(end)
        if not found or not ended:
            message = f"{PAGE.name} has no block <!-- made: {name} --> ... {end}"
            raise ValueError(message)
        page = f"{before}{begin}{block}\n{end}{after}"
    return page


def main() -> None:
    """Write both."""
    PAGE.write_text(page_made(PAGE.read_text()))
    TYPESCRIPT.parent.mkdir(parents=True, exist_ok=True)
    TYPESCRIPT.write_text(renderings.typescript())


if __name__ == "__main__":
    main()
