import hotswap.errors
from hotswap.errors import (
    CorruptSegment,
    EpochLost,
    FencedOff,
    LimitsOutOfOrder,
    UnknownProtocolVersion,
)


def test_an_error_without_a_message_says_its_docstring() -> None:
    assert str(FencedOff()) == FencedOff.__doc__


def test_a_message_replaces_the_docstring() -> None:
    assert str(EpochLost("all_reduce failed")) == "all_reduce failed"


def test_the_code_is_the_name_in_snake_case() -> None:
    assert FencedOff.code == "fenced_off"
    assert FencedOff("x").code == "fenced_off"


def test_no_two_errors_share_a_code() -> None:
    codes = [getattr(hotswap.errors, name).code for name in hotswap.errors.__all__]
    assert len(codes) == len(set(codes))


def test_a_class_that_inherits_from_two_has_a_code_of_its_own() -> None:
    assert CorruptSegment("x", tensors=["w"]).code == "corrupt_segment"


def test_data_is_in_attributes_and_in_the_message() -> None:
    error = UnknownProtocolVersion(expected=1, received=7)
    assert (error.expected, error.received) == (1, 7)
    assert "version 7" in str(error)


def test_limits_out_of_order_names_both_limits_and_how_to_set_them() -> None:
    error = LimitsOutOfOrder(lower=("lease_s", 9.0), upper=("collective_s", 2.0), why="because")
    assert str(error) == (
        "lease_s = 9 has to be below collective_s = 2: because; "
        "set HOTSWAP_LEASE_S or HOTSWAP_COLLECTIVE_S"
    )


def test_names_of_tensors_are_sorted() -> None:
    assert CorruptSegment("x", tensors={"b", "a"}).tensors == ("a", "b")
