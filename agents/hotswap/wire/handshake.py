"""Both ends of a new connection prove that they know the job's key, without telling it.

::

    server                                        client
      Challenge(server nonce)          ->
                                       <-         Proof(purpose, name, client nonce, MAC "client")
      Acceptance(MAC "server")         ->

MAC = HMAC-SHA256(job key, label, purpose, name, server nonce, client nonce). The label keeps one
end's proof from being played back as the other's, the purpose keeps a proof given on a connection
of one kind from being used on another, and fresh nonces of both ends keep it from being used twice.
The name is thereby authenticated too. What follows on the connection is neither encrypted nor
authenticated by this.

Pure: each end is a generator that yields the payload to send, or None for nothing, is sent the
payload received, and returns its result. Nonces are arguments.
"""

import hmac
from collections.abc import Generator
from typing import Annotated, Final, Literal, NoReturn, TypeVar

import msgspec

from hotswap.errors import BadFrame, NotAuthenticated
from hotswap.wire.codec import decoder, encode_message
from hotswap.wire.messages import Message

NONCE_NBYTES: Final = 32
#: Largest payload before a peer has proved itself: so much, and no more, is kept for a stranger.
HANDSHAKE_FRAME_NBYTES_MAX: Final = 1024
NAME_LENGTH_MAX: Final = 128

#: What a connection is for; a proof for one purpose is worth nothing for another.
Purpose = Literal["control", "mirror"]

_MAC_NBYTES: Final = 32
_CONTEXT: Final = b"hotswap handshake 1"

_Nonce = Annotated[bytes, msgspec.Meta(min_length=NONCE_NBYTES, max_length=NONCE_NBYTES)]
_Mac = Annotated[bytes, msgspec.Meta(min_length=_MAC_NBYTES, max_length=_MAC_NBYTES)]
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_LENGTH_MAX)]
_Expected = TypeVar("_Expected", bound=Message)


class Challenge(Message, frozen=True, kw_only=True):
    """Server: prove that you know the key."""

    nonce: _Nonce


class Proof(Message, frozen=True, kw_only=True):
    """Client: this is who I am, and the proof; now prove it yourself."""

    purpose: _Name
    name: _Name
    nonce: _Nonce
    mac: _Mac


class Acceptance(Message, frozen=True, kw_only=True):
    """Server: accepted, and this is my proof."""

    mac: _Mac


class Denial(Message, frozen=True, kw_only=True):
    """Server: not accepted."""

    detail: str


_decode: Final = decoder(Challenge | Proof | Acceptance | Denial)

Client = Generator[bytes | None, bytes, None]
Server = Generator[bytes, bytes, tuple[str, bytes]]


def client_exchange(*, key: bytes, purpose: Purpose, name: str, nonce: bytes) -> Client:
    """Prove that this end knows ``key`` and is called ``name``; check that the server knows it.

    Raises:
        NotAuthenticated: one of the two ends has another key, or another purpose.
        BadFrame: the server doesn't speak this protocol.

    """
    challenge = _expect(Challenge, (yield None))
    proof = Proof(
        purpose=purpose,
        name=name,
        nonce=nonce,
        mac=_mac(key, b"client", purpose, name, challenge.nonce, nonce),
    )
    acceptance = _expect(Acceptance, (yield encode_message(proof)))
    expected = _mac(key, b"server", purpose, name, challenge.nonce, nonce)
    if not hmac.compare_digest(acceptance.mac, expected):
        _refuse("the server does not know the key of this job")


def server_exchange(*, key: bytes, purpose: Purpose, nonce: bytes) -> Server:
    """Challenge a client; return its name and the payload that is still to be sent to it.

    Raises:
        NotAuthenticated: the client has another key, or another purpose; tell it by `deny`.
        BadFrame: the client doesn't speak this protocol.

    """
    proof = _expect(Proof, (yield encode_message(Challenge(nonce=nonce))))
    if proof.purpose != purpose:
        _refuse(f"the connection is for {purpose}, the client wants {proof.purpose}")
    expected = _mac(key, b"client", purpose, proof.name, nonce, proof.nonce)
    if not hmac.compare_digest(proof.mac, expected):
        _refuse("the client does not know the key of this job")
    mac = _mac(key, b"server", purpose, proof.name, nonce, proof.nonce)
    return proof.name, encode_message(Acceptance(mac=mac))


def deny(error: NotAuthenticated) -> bytes:
    """Return the payload that tells a client why it is refused."""
    return encode_message(Denial(detail=str(error)))


def _expect(kind: type[_Expected], payload: bytes) -> _Expected:
    message = _decode(payload)
    if isinstance(message, kind):
        return message
    if isinstance(message, Denial):
        raise NotAuthenticated(message.detail)
    received = type(message).__name__
    raise BadFrame(f"{received} instead of {kind.__name__} in a handshake: close the connection")


def _refuse(reason: str) -> NoReturn:
    raise NotAuthenticated(
        f"{reason}: start both from the same job, which gives them one HOTSWAP_JOB_KEY"
    )


def _mac(key: bytes, label: bytes, *parts: str | bytes) -> bytes:
    """Authenticate ``parts``, each with its length, so that no two lists give the same bytes."""
    text = bytearray(_CONTEXT)
    for part in (label, *parts):
        raw = part.encode() if isinstance(part, str) else part
        text += len(raw).to_bytes(4, "big") + raw
    return hmac.digest(key, bytes(text), "sha256")
