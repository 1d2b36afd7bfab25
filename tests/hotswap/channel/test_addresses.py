from pathlib import Path

import pytest

from hotswap.channel.addresses import (
    FOLDER,
    Address,
    address_of,
    announce,
    known_addresses,
    latest_leader,
    parse_address,
    withdraw,
)


def test_whoever_was_announced_is_known_and_the_latest_is_tried_first(tmp_path: Path) -> None:
    for number in range(3):
        announce(
            tmp_path, name=f"coordinator-{number}", address=Address("127.0.0.1", 5000 + number)
        )
    assert [address.port for address in known_addresses(tmp_path)] == [5002, 5001, 5000]


def test_the_leader_is_tried_before_one_that_was_announced_later(tmp_path: Path) -> None:
    for name, port, token in [("a", 5000, 0), ("b", 5001, 2), ("c", 5002, 10), ("d", 5003, 0)]:
        announce(tmp_path, name=name, address=Address("127.0.0.1", port), token=token)
    assert [address.port for address in known_addresses(tmp_path)] == [5002, 5001, 5003, 5000]


def test_the_latest_leader_is_the_one_with_the_highest_token(tmp_path: Path) -> None:
    announce(tmp_path, name="a", address=Address("127.0.0.1", 5000))
    assert latest_leader(tmp_path) is None
    announce(tmp_path, name="b", address=Address("127.0.0.1", 5001), token=2)
    announce(tmp_path, name="a", address=Address("127.0.0.1", 5000), token=3)
    assert latest_leader(tmp_path) == (("127.0.0.1", 5000), 3)


def test_a_coordinator_is_found_by_its_name(tmp_path: Path) -> None:
    announce(tmp_path, name="a", address=Address("127.0.0.1", 5000))
    assert address_of(tmp_path, name="a") == ("127.0.0.1", 5000)
    assert address_of(tmp_path, name="b") is None


def test_a_coordinator_that_listens_elsewhere_now_is_known_there_alone(tmp_path: Path) -> None:
    for port in (5000, 5001):
        announce(tmp_path, name="coordinator-0", address=Address("127.0.0.1", port))
    assert known_addresses(tmp_path) == (("127.0.0.1", 5001),)


def test_a_withdrawn_coordinator_is_forgotten(tmp_path: Path) -> None:
    announce(tmp_path, name="coordinator-0", address=Address("::1", 5000))
    withdraw(tmp_path, name="coordinator-0")
    withdraw(tmp_path, name="coordinator-0")
    assert known_addresses(tmp_path) == ()


def test_before_the_first_announcement_nobody_is_known(tmp_path: Path) -> None:
    assert known_addresses(tmp_path) == ()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"host":"h"}', b'{"host":"h","port":"x"}'])
def test_a_file_that_is_no_announcement_is_passed_over(tmp_path: Path, content: bytes) -> None:
    announce(tmp_path, name="coordinator-0", address=Address("127.0.0.1", 5000))
    (tmp_path / FOLDER / "coordinator-1.json").write_bytes(content)
    assert known_addresses(tmp_path) == (("127.0.0.1", 5000),)


@pytest.mark.parametrize(
    "address", [Address("127.0.0.1", 5000), Address("::1", 1), Address("h", 2)]
)
def test_an_address_is_read_back_from_its_text(address: Address) -> None:
    assert parse_address(str(address)) == address


@pytest.mark.parametrize("text", ["", "host", ":5000", "host:", "host:port"])
def test_a_text_that_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_address(text)
