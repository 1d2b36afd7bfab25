import pytest

from apps.fleet.domain.imports.hostlist import hostlist_expand
from apps.fleet.domain.imports.values import FleetUnreadable


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", ()),
        ("n1", ("n1",)),
        ("n[1-3,7],login", ("n1", "n2", "n3", "n7", "login")),
        ("n[008-010]", ("n008", "n009", "n010")),
        ("r[1-2]n[1-2]", ("r1n1", "r1n2", "r2n1", "r2n2")),
        ("n[1]-ib", ("n1-ib",)),
    ],
)
def test_a_short_form_stands_for_its_names_in_order(text: str, names: tuple[str, ...]) -> None:
    assert hostlist_expand(text) == names


@pytest.mark.parametrize(
    "text", ["n[3-1]", "n[a-b]", "n[1-99999999]", "n[1-900]m[1-900]", "n[" + "0" * 20 + "-1]"]
)
def test_what_is_no_list_or_too_long_a_one_is_refused(text: str) -> None:
    with pytest.raises(FleetUnreadable):
        hostlist_expand(text)
