"""Announcements of coordinators in a Redis or Valkey server, for nodes that share no directory."""

from typing import Final, Protocol, cast

import msgspec
import redis
import structlog

from hotswap.channel.addresses import Address

_log = structlog.get_logger()

#: Announcements of a job that nobody has touched for so long are forgotten, s.
KEPT_S: Final = 30 * 86_400


class Server(Protocol):
    """What of a Redis client is used here."""

    def hset(self, name: str, key: str, value: bytes) -> object:
        """Set one field of a hash."""

    def hget(self, name: str, key: str) -> object:
        """Return one field of a hash."""

    def hgetall(self, name: str) -> object:
        """Return a hash."""

    def hdel(self, name: str, *keys: str) -> object:
        """Remove fields of a hash."""

    def expire(self, name: str, time: int) -> object:
        """Have a key forgotten after some seconds."""


class Announced(msgspec.Struct, frozen=True, kw_only=True):
    """What one coordinator has said."""

    host: str
    port: int
    # 0: it does not lead
    token: int = 0

    @property
    def address(self) -> Address:
        """Where it listens."""
        return Address(self.host, self.port)


class RedisBook:
    """Implements `hotswap.coordinator.address_book.AddressBook` for all who reach the server.

    A server that is away costs the announcement and not the coordinator: who shares its directory
    finds it all the same.
    """

    def __init__(self, server: Server, *, key: str) -> None:
        """Keep the announcements of one run of one job under ``key``."""
        self._server = server
        self._key = key

    def announce(self, *, name: str, address: Address, token: int = 0) -> None:
        """See `AddressBook.announce`."""
        said = Announced(host=address.host, port=address.port, token=token)
        try:
            self._server.hset(self._key, name, msgspec.json.encode(said))
            self._server.expire(self._key, KEPT_S)
        except redis.RedisError as error:
            _log.warning("announcement_not_shared", name=name, detail=str(error))

    def withdraw(self, *, name: str) -> None:
        """See `AddressBook.withdraw`."""
        try:
            self._server.hdel(self._key, name)
        except redis.RedisError as error:
            _log.warning("withdrawal_not_shared", name=name, detail=str(error))

    def address_of(self, *, name: str) -> Address | None:
        """See `AddressBook.address_of`."""
        try:
            encoded = cast("bytes | None", self._server.hget(self._key, name))
        except redis.RedisError:
            return None
        said = None if encoded is None else _decode(encoded)
        return None if said is None else said.address

    def everything(self) -> dict[str, Announced] | None:
        """Return what every coordinator has said; None: the server does not answer."""
        try:
            fields = cast("dict[bytes, bytes]", self._server.hgetall(self._key))
        except redis.RedisError:
            return None
        said = {name.decode(): _decode(encoded) for name, encoded in fields.items()}
        return {name: each for name, each in said.items() if each is not None}


def _decode(encoded: bytes) -> Announced | None:
    """Return an announcement; None: it was not written by a coordinator."""
    try:
        return msgspec.json.decode(encoded, type=Announced)
    except msgspec.DecodeError:
        return None
