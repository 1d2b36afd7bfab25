"""What a world is made of beside its training processes."""

import msgspec

from hotswap.coordinator.core.coordinator import Coordinator
from hotswap.coordinator.core.record import Record
from hotswap.wire.messages import Message


class Packet(msgspec.Struct, frozen=True):
    """A message on a connection."""

    message: Message
    key: int


def packet(message: Message) -> Packet:
    """Wrap a message."""
    return Packet(message, hash(msgspec.msgpack.encode(message)))


class Office(msgspec.Struct):
    """One coordinator process."""

    core: Coordinator
    alive: bool = True
    # when its clock stands, s
    now: float = 0.0
    key: int | None = None

    def clone(self) -> "Office":
        """Return an independent copy."""
        return Office(self.core.clone(), self.alive, self.now)

    def fingerprint(self) -> int:
        """Return what decides what this process will do."""
        if self.key is None:
            leads = self.alive and self.core.leading
            self.key = hash((self.alive, self.core.fingerprint() if leads else None))
        return self.key


class Store(msgspec.Struct):
    """The lease: the highest token, and the record that its holder has saved."""

    token: int = 0
    record: Record | None = None
    key: int | None = None

    def fingerprint(self) -> int:
        """Return what the next leader would go on from."""
        if self.key is None:
            record = self.record
            told = record and (
                record.epoch,
                record.highest_epoch,
                record.dead_epoch,
                record.seats,
                record.start and (record.start.committed, record.start.restore_step),
                record.committed,
                record.restored_epoch,
                record.checkpoint_before,
                frozenset(record.lost),
                tuple(sorted(record.mirrors.items())),
                record.revision,
                record.swap,
                record.outcome,
            )
            self.key = hash((self.token, told))
        return self.key


def hashes(queue: tuple[Packet, ...]) -> tuple[int, ...]:
    """Return what is on a connection, in order."""
    return tuple([packet.key for packet in queue])
