import pytest

from apps.swaps.domain import renderings
from dev.swap_states import PAGE, TYPESCRIPT, page_made


def test_the_page_is_as_the_table_says() -> None:
    page = PAGE.read_text()
    assert page == page_made(page), "run python -m dev.swap_states"


def test_the_front_end_has_the_table() -> None:
    assert TYPESCRIPT.read_text() == renderings.typescript(), "run python -m dev.swap_states"


def test_a_page_without_its_blocks_is_refused() -> None:
    with pytest.raises(ValueError, match="made: diagram"):
        page_made("# Nothing\n")
