import pytest

from apps.webhooks.domain.addresses import first_allowed, url_problem

OUTSIDE = "93.184.216.34"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "172.16.5.4",
        "192.168.1.1",
        "169.254.169.254",  # the metadata of a cloud's machine
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104 - refused
        "224.0.0.1",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::a9fe:a9fe",  # 169.254.169.254 through NAT64
        "2002:7f00:0001::",  # 127.0.0.1 through 6to4
    ],
)
def test_nothing_is_sent_inside(address: str) -> None:
    with pytest.raises(ValueError, match=r"address|internet"):
        first_allowed([address], private_allowed=False)


def test_public_addresses_are_allowed() -> None:
    assert first_allowed([OUTSIDE], private_allowed=False) == OUTSIDE
    assert first_allowed(["2606:4700::1111"], private_allowed=False) == "2606:4700::1111"


def test_one_address_inside_spoils_the_name() -> None:
    with pytest.raises(ValueError, match=r"127\.0\.0\.1"):
        first_allowed([OUTSIDE, "127.0.0.1"], private_allowed=False)


def test_a_name_without_address_is_refused() -> None:
    with pytest.raises(ValueError, match="no address"):
        first_allowed([], private_allowed=True)


def test_inside_is_allowed_where_the_setting_says_so() -> None:
    assert first_allowed(["127.0.0.1"], private_allowed=True) == "127.0.0.1"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/hook",
        "ftp://example.com/",
        "https:///path",
        "https://user:password@example.com/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://example.com:99999/",
        "https://example.com/" + "a" * 500,
        "no address",
    ],
)
def test_addresses_that_are_refused_as_written(url: str) -> None:
    assert url_problem(url, private_allowed=False) is not None


def test_https_to_a_name_is_fine_as_written() -> None:
    assert url_problem("https://example.com:8443/hook?x=1", private_allowed=False) is None
