"""Both ends prove that they know the key; nobody else gets in, and nothing can be replayed."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotswap.errors import BadFrame, NotAuthenticated, WireError
from hotswap.wire.codec import encode_message
from hotswap.wire.handshake import (
    NONCE_NBYTES,
    Acceptance,
    Challenge,
    Client,
    Proof,
    Purpose,
    Server,
    client_exchange,
    deny,
    server_exchange,
)
from hotswap.wire.messages import Heartbeat

KEY = bytes(range(32))
CLIENT_NONCE = b"c" * NONCE_NBYTES
SERVER_NONCE = b"s" * NONCE_NBYTES

Tamper = Callable[[bytes], bytes]


def client(*, key: bytes = KEY, purpose: Purpose = "control", name: str = "node-3") -> Client:
    return client_exchange(key=key, purpose=purpose, name=name, nonce=CLIENT_NONCE)


def server(*, key: bytes = KEY, purpose: Purpose = "control") -> Server:
    return server_exchange(key=key, purpose=purpose, nonce=SERVER_NONCE)


def unchanged(payload: bytes) -> bytes:
    return payload


def connect(
    client_end: Client,
    server_end: Server,
    *,
    to_server: Tamper = unchanged,
    to_client: Tamper = unchanged,
) -> str:
    """Run both ends against each other; return the name that the server has authenticated."""
    assert next(client_end) is None
    proof = client_end.send(to_client(next(server_end)))
    assert proof is not None
    try:
        server_end.send(to_server(proof))
    except StopIteration as end:
        name, acceptance = end.value
    else:
        raise AssertionError("the server's exchange has one answer")
    with pytest.raises(StopIteration):
        client_end.send(to_client(acceptance))
    return str(name)


@given(
    key=st.binary(min_size=32, max_size=32),
    name=st.text(st.characters(codec="utf-8"), min_size=1, max_size=128),
)
def test_two_ends_with_one_key_accept_each_other(key: bytes, name: str) -> None:
    assert connect(client(key=key, name=name), server(key=key)) == name


def test_a_client_with_another_key_is_refused() -> None:
    with pytest.raises(NotAuthenticated, match="the client does not know the key"):
        connect(client(key=b"x" * 32), server())


def test_a_server_with_another_key_is_refused() -> None:
    end = client()
    next(end)
    end.send(encode_message(Challenge(nonce=SERVER_NONCE)))
    with pytest.raises(NotAuthenticated, match="the server does not know the key"):
        end.send(encode_message(Acceptance(mac=bytes(32))))


def test_a_proof_for_one_purpose_is_worth_nothing_for_another() -> None:
    with pytest.raises(NotAuthenticated, match="is for mirror, the client wants control"):
        connect(client(purpose="control"), server(purpose="mirror"))


def rename(payload: bytes) -> bytes:
    proof = msgspec.msgpack.decode(payload, type=Proof)
    return encode_message(msgspec.structs.replace(proof, name="node-4"))


def claim_purpose(payload: bytes) -> bytes:
    proof = msgspec.msgpack.decode(payload, type=Proof)
    return encode_message(msgspec.structs.replace(proof, purpose="mirror"))


def test_a_name_cannot_be_changed_on_the_way() -> None:
    with pytest.raises(NotAuthenticated):
        connect(client(), server(), to_server=rename)


def test_a_purpose_cannot_be_changed_on_the_way() -> None:
    with pytest.raises(NotAuthenticated):
        connect(client(), server(purpose="mirror"), to_server=claim_purpose)


def test_a_recorded_proof_is_worth_nothing_against_a_fresh_nonce() -> None:
    recorded: list[bytes] = []

    def record(payload: bytes) -> bytes:
        recorded.append(payload)
        return payload

    connect(client(), server(), to_server=record)
    later = server_exchange(key=KEY, purpose="control", nonce=b"t" * NONCE_NBYTES)
    next(later)
    with pytest.raises(NotAuthenticated):
        later.send(recorded[0])


def test_a_proof_played_back_to_its_sender_is_no_acceptance() -> None:
    end = client()
    next(end)
    payload = end.send(encode_message(Challenge(nonce=SERVER_NONCE)))
    assert payload is not None
    proof = msgspec.msgpack.decode(payload, type=Proof)
    with pytest.raises(NotAuthenticated):
        end.send(encode_message(Acceptance(mac=proof.mac)))


def test_a_client_hears_why_it_is_refused() -> None:
    end = client()
    next(end)
    end.send(encode_message(Challenge(nonce=SERVER_NONCE)))
    with pytest.raises(NotAuthenticated, match="wrong key"):
        end.send(deny(NotAuthenticated("wrong key")))


@pytest.mark.parametrize(
    "message",
    [Heartbeat(epoch=1), Acceptance(mac=bytes(32)), Challenge(nonce=SERVER_NONCE)],
)
def test_any_other_message_ends_the_handshake(message: Heartbeat | Acceptance | Challenge) -> None:
    end = server()
    next(end)
    with pytest.raises(WireError):
        end.send(encode_message(message))


@given(payload=st.binary(max_size=300))
def test_garbage_ends_the_handshake(payload: bytes) -> None:
    for end in (client(), server()):
        next(end)
        with pytest.raises(WireError):
            end.send(payload)


@given(data=st.data())
def test_no_byte_of_a_proof_can_be_changed(data: st.DataObject) -> None:
    def flip(payload: bytes) -> bytes:
        changed = bytearray(payload)
        changed[data.draw(st.integers(0, len(payload) - 1))] ^= data.draw(st.integers(1, 255))
        return bytes(changed)

    with pytest.raises(WireError):
        connect(client(), server(), to_server=flip)


def test_a_short_nonce_is_refused() -> None:
    end = client()
    next(end)
    with pytest.raises(BadFrame):
        end.send(msgspec.msgpack.encode({"type": "Challenge", "nonce": b"short"}))


def test_no_error_and_no_payload_shows_the_key() -> None:
    end, payloads = client(key=b"k" * 32), list[bytes]()
    next(end)
    payloads.append(end.send(encode_message(Challenge(nonce=SERVER_NONCE))) or b"")
    with pytest.raises(NotAuthenticated) as refused:
        end.send(encode_message(Acceptance(mac=bytes(32))))
    assert "kkkk" not in str(refused.value)
    assert all(b"kkkk" not in payload for payload in payloads)
