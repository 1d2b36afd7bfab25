from dataclasses import fields, replace

import pytest

from hotswap.errors import EnvironmentInvalid, LimitsOutOfOrder
from hotswap.limits import ORDERS, Limits, Order


def test_the_defaults_are_in_order() -> None:
    Limits().check_order()


def test_every_limit_has_a_default_above_zero() -> None:
    assert all(getattr(Limits(), field.name) > 0 for field in fields(Limits))


def test_an_empty_environment_gives_the_defaults() -> None:
    assert Limits.from_environment({}) == Limits()


def test_a_variable_overrides_its_limit_and_no_other() -> None:
    limits = Limits.from_environment({"HOTSWAP_LEASE_S": "3.5", "HOTSWAP_DIGEST_EVERY_STEPS": "7"})
    assert limits == replace(Limits(), lease_s=3.5, digest_every_steps=7)


def test_variables_of_others_are_let_be() -> None:
    environment = {"HOTSWAP_RANK": "3", "HOTSWAP_CHECKPOINT_EVERY_STEPS": "10", "LEASE_S": "x"}
    assert Limits.from_environment(environment) == Limits()


@pytest.mark.parametrize("text", ["", "soon", "2s", "nan", "inf", "-1", "0"])
def test_a_duration_has_to_be_a_finite_number_above_zero(text: str) -> None:
    with pytest.raises(EnvironmentInvalid, match=r"HOTSWAP_LEASE_S=.* has to be"):
        Limits.from_environment({"HOTSWAP_LEASE_S": text})


@pytest.mark.parametrize("text", ["1.5", "1e3", "ten"])
def test_a_count_has_to_be_a_whole_number(text: str) -> None:
    with pytest.raises(EnvironmentInvalid, match="has to be a whole number"):
        Limits.from_environment({"HOTSWAP_DIGEST_EVERY_STEPS": text})


def test_what_can_be_switched_off_may_be_zero() -> None:
    assert Limits.from_environment({"HOTSWAP_RESPAWN_MAX": "0"}).respawn_max == 0


def test_a_slip_in_a_name_is_refused_with_the_name_that_was_meant() -> None:
    with pytest.raises(EnvironmentInvalid, match="write HOTSWAP_LEASE_S"):
        Limits.from_environment({"HOTSWAP_LEESE_S": "3"})


def test_an_environment_in_the_wrong_order_is_refused() -> None:
    with pytest.raises(LimitsOutOfOrder, match=r"heartbeat_s = 5 has to be below lease_s = 2"):
        Limits.from_environment({"HOTSWAP_HEARTBEAT_S": "5"})


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: f"{order.lower}<{order.upper}")
@pytest.mark.parametrize("excess", [0, 1])
def test_every_order_is_held(order: Order, excess: int) -> None:
    limits = Limits()
    broken = replace(limits, **{order.lower: getattr(limits, order.upper) + excess})
    with pytest.raises(LimitsOutOfOrder) as caught:
        broken.check_order()
    # raising one limit may break an earlier order too: the error is about the limit that was raised
    assert order.lower in (caught.value.lower[0], caught.value.upper[0])


def test_an_order_says_what_goes_wrong() -> None:
    with pytest.raises(LimitsOutOfOrder, match="a leader would lose its lease between renewals"):
        replace(Limits(), leader_renew_s=0.5).check_order()


def test_a_value_that_is_no_number_is_out_of_order() -> None:
    with pytest.raises(LimitsOutOfOrder):
        replace(Limits(), lease_s=float("nan")).check_order()
