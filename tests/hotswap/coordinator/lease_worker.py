"""A coordinator reduced to its lease: leads when it can, and saves a growing list of its saves.

Prints one line per event, so that the test knows what it was told, and when. The record is the
list of all acknowledged saves of all leaders: one that is missing there was lost.
"""

import sys
import time
from pathlib import Path

import msgspec

from hotswap.coordinator.file_lease import FileLeaseStore
from hotswap.coordinator.lease import Lease, LeaseStore
from hotswap.coordinator.redis_lease import RedisLeaseStore, connect
from hotswap.errors import FencedOff

PACE_S = 0.002


#: For a server on a busy machine, s.
ANSWER_S = 20.0
KEY = "lease"


def open_store(where: str) -> LeaseStore:
    """Open the store in a directory, or on a server."""
    if where.startswith("redis:"):
        return RedisLeaseStore(connect(where, answer_s=ANSWER_S), key=KEY)
    return FileLeaseStore(Path(where))


def main(where: str, name: str, ttl: str) -> None:
    store = open_store(where)
    while True:
        lease = store.acquire(name=name, ttl_s=float(ttl), now=time.monotonic())
        if lease is None:
            time.sleep(PACE_S)
            continue
        say("leads", lease.token)
        try:
            lead(store, lease)
        except FencedOff:
            say("fenced", lease.token)


def lead(store: LeaseStore, lease: Lease) -> None:
    saves = msgspec.json.decode(store.load() or b"[]", type=list[tuple[int, int]])
    number = 0
    while True:
        number += 1
        saves.append((lease.token, number))
        store.save(lease, msgspec.json.encode(saves))
        say("saved", lease.token, number)
        lease = store.renew(lease, now=time.monotonic())
        time.sleep(PACE_S)


def say(*words: object) -> None:
    print(*words, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
