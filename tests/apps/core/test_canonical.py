"""One value has one spelling, and one digest."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core import canonical

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_read_back_is_spelt_the_same(value: object) -> None:
    text = canonical.encode(value)
    assert canonical.encode(json.loads(text)) == text
    assert text.isascii()


def test_the_order_of_keys_does_not_matter() -> None:
    assert canonical.encode({"b": 1, "a": [1.5, None]}) == b'{"a":[1.5,null],"b":1}'
    assert canonical.digest({"b": 1, "a": 2}) == canonical.digest({"a": 2, "b": 1})


def test_a_digest_says_how_it_was_made() -> None:
    assert canonical.digest({}) == (
        "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_does_not_know_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical.encode({"loss": value})


def test_a_value_that_is_none_of_json_is_refused() -> None:
    with pytest.raises(TypeError):
        canonical.encode({"at": object()})


def test_text_that_is_no_json_has_no_value() -> None:
    assert canonical.decode("{") is None
    assert canonical.decode('{"a": 1}') == {"a": 1}
