from dataclasses import fields

import pytest

from dev.reference_pages import PAGES, REFERENCE, comments_of_fields, settings_page, unit_of
from hotswap.limits import Limits


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_says(name: str) -> None:
    assert (REFERENCE / name).read_text() == PAGES[name](), "run `make docs`"


def test_every_limit_has_a_row_and_says_what_it_limits() -> None:
    page = settings_page()
    for field in fields(Limits):
        row = next(line for line in page.splitlines() if f"HOTSWAP_{field.name.upper()}`" in line)
        assert len(row.split("|")[4].split()) > 2, f"put a comment above {field.name}"


def test_a_comment_belongs_to_the_field_right_below_it() -> None:
    source = "    # one\n    # two\n    a: int = 1\n    b: int = 2\n    # lost\n\n    c: int = 3\n"
    assert comments_of_fields(source) == {"a": "one two", "b": "", "c": ""}


@pytest.mark.parametrize(
    ("name", "value", "unit"),
    [
        ("copy_slice_nbytes", 512 << 20, "bytes (512 MiB)"),
        ("bundle_nbytes_max", 1000, "bytes (1000 B)"),
        ("lease_s", 2.0, "s"),
        ("standby_wait_s", 30 * 86_400.0, "s (30 days)"),
        ("digest_every_steps", 10, "steps"),
        ("respawn_max", 10, ""),
    ],
)
def test_units_are_told_by_the_name(name: str, value: float, unit: str) -> None:
    assert unit_of(name, value) == unit
