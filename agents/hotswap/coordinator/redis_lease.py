"""A lease store for coordinators of several machines: one hash in a Redis or Valkey server.

The hash holds the whole state and a version that rises with each change; a change is one script,
which the server carries out if the version is still the one that was read. The fencing token is a
part of the state and rises with each leader.

Times are those of the server (`RedisClock`), which all coordinators ask: a lease outlives a
machine's own clock. The server has to write down what it was told (``appendonly yes``): then a
server that was killed goes on where it was. From one that has forgotten, each coordinator restores
the newest state that it has seen, and the newest of those wins; until then nobody can tell that a
later one was lost.
"""

import hashlib
import time
from collections.abc import Callable
from typing import Final, NamedTuple, cast

import msgspec
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from hotswap.coordinator import lease_state
from hotswap.coordinator.lease import Lease
from hotswap.coordinator.lease_state import NOBODY, LeaseState
from hotswap.errors import FencedOff, LeaseDamaged, StateUnwritable

#: Attempts to replace the state. Each one fails only because another coordinator has replaced it.
ATTEMPTS_MAX: Final = 64
#: Waiting for the server, s: a coordinator must not stand still for longer than its lease.
ANSWER_S: Final = 0.2
#: The state of a job that nobody has touched for so long is forgotten, s.
KEPT_S: Final = 30 * 86_400
#: Time between two looks at the server's clock, s.
CLOCK_CHECK_S: Final = 30.0

_SCRIPT: Final = """
local present = tonumber(redis.call('HGET', KEYS[1], 'version') or '0')
if ARGV[1] == 'restore' then
    if present >= tonumber(ARGV[2]) then return 0 end
elseif present ~= tonumber(ARGV[1]) then
    return 0
end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'state', ARGV[3], 'token', ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[5])
return 1
"""


def connect(url: str, *, answer_s: float = ANSWER_S) -> "redis.Redis":
    """Return a client that waits for at most ``answer_s`` and tries nothing twice."""
    return redis.Redis.from_url(
        url,
        socket_timeout=answer_s,
        socket_connect_timeout=answer_s,
        retry=Retry(NoBackoff(), 0),
    )


class RedisClock:
    """The server's clock, in seconds, without asking it each time.

    A jump of the server's clock is taken over at the next check; a server that doesn't answer is
    asked again then, and meanwhile the clock runs on.
    """

    def __init__(
        self, ask: Callable[[], object], *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Go by what ``ask`` returns, a client's ``time``: seconds and microseconds.

        Raises:
            StateUnwritable: it does not answer.

        """
        self._ask_server = ask
        self._monotonic = monotonic
        self._offset_s = self._ask()
        self._asked_s = monotonic()

    def __call__(self) -> float:
        """Return the time."""
        now = self._monotonic()
        if now - self._asked_s >= CLOCK_CHECK_S:
            self._asked_s = now
            try:
                self._offset_s = self._ask()
            except StateUnwritable:
                return self._monotonic() + self._offset_s
        return self._monotonic() + self._offset_s

    def _ask(self) -> float:
        before = self._monotonic()
        try:
            seconds, microseconds = cast("tuple[int, int]", self._ask_server())
        except redis.RedisError as error:
            raise _unavailable(error) from error
        return seconds + microseconds / 1e6 - (before + self._monotonic()) / 2


class RedisLeaseStore:
    """Implements `hotswap.coordinator.lease.LeaseStore` for all who reach the server.

    While the server is away, nothing can be changed (`StateUnwritable`), and ``holder`` and
    ``load`` give what was seen last: who can't be told apart from the holder is not elected.
    """

    def __init__(self, server: "redis.Redis", *, key: str) -> None:
        """Keep the lease of one run of one job under ``key``."""
        self._server = server
        self._key = key
        # newest state that this coordinator has seen, and its version
        self._seen: tuple[int, LeaseState] = (0, NOBODY)

    def acquire(self, *, name: str, ttl_s: float, now: float) -> Lease | None:
        """See `LeaseStore.acquire`."""
        version, state = self._read()
        if lease_state.holder(state, now=now) is not None:
            return None
        state = lease_state.acquired(state, name=name, ttl_s=ttl_s, now=now)
        return lease_state.holder(state, now=now) if self._replace(version, state) else None

    def renew(self, lease: Lease, *, now: float) -> Lease:
        """See `LeaseStore.renew`."""
        state = self._change(lease, lambda state: lease_state.renewed(state, lease, now=now))
        renewed = lease_state.holder(state, now=now)
        assert renewed is not None, "a lease that has just been renewed is valid"
        return renewed

    def release(self, lease: Lease) -> None:
        """See `LeaseStore.release`."""
        self._change(lease, lambda state: lease_state.released(state, lease))

    def holder(self, *, now: float) -> Lease | None:
        """See `LeaseStore.holder`."""
        return lease_state.holder(self._look(), now=now)

    def load(self) -> bytes | None:
        """See `LeaseStore.load`."""
        return self._look().record

    def save(self, lease: Lease, record: bytes) -> None:
        """See `LeaseStore.save`."""
        self._change(lease, lambda state: lease_state.saved(state, lease, record))

    def close(self) -> None:
        """Do nothing: a lease that is still held ends by itself."""

    def _change(self, lease: Lease, change: Callable[[LeaseState], LeaseState]) -> LeaseState:
        """Replace the state by what ``change`` makes of it, however often it has to look again."""
        for _ in range(ATTEMPTS_MAX):
            version, state = self._read()
            changed = change(state)
            if changed is state or self._replace(version, changed):
                return changed
        raise FencedOff(
            f"{lease.name} could not change the lease in {ATTEMPTS_MAX} attempts, as other "
            "coordinators did all the time; stop acting"
        )

    def _look(self) -> LeaseState:
        """Return the state, or the newest that was seen where the server doesn't answer."""
        try:
            return self._read()[1]
        except StateUnwritable:
            return self._seen[1]

    def _read(self) -> tuple[int, LeaseState]:
        """Return version and state; give the server back what it has forgotten.

        Raises:
            StateUnwritable: it does not answer.
            LeaseDamaged: what it holds was written by something else.

        """
        try:
            version, encoded = self._fetch()
            if version < self._seen[0]:
                self._run("restore", *self._seen)
                version, encoded = self._fetch()
        except redis.RedisError as error:
            raise _unavailable(error) from error
        try:
            state = NOBODY if version == 0 else msgspec.msgpack.decode(encoded, type=LeaseState)
        except msgspec.DecodeError as error:
            raise LeaseDamaged(
                f"{self._key} holds a lease of another version of hotswap ({error}): run one "
                "version for the whole of a job"
            ) from error
        self._seen = (version, state)
        return self._seen

    def _fetch(self) -> tuple[int, bytes]:
        fields = cast("list[bytes | None]", self._server.hmget(self._key, ["version", "state"]))
        version, encoded = fields
        return int(version or 0), encoded or b""

    def _replace(self, version: int, state: LeaseState) -> bool:
        """Make ``state`` the version after ``version``; False: another coordinator was faster.

        Raises:
            StateUnwritable: nobody knows whether it was done. A lease that may have been acquired
                runs out by itself, and a record that may have been saved tells of nothing that was
                done yet.

        """
        try:
            done = self._run(str(version), version + 1, state)
        except redis.RedisError as error:
            raise _unavailable(error) from error
        if done:
            self._seen = (version + 1, state)
        return done

    def _run(self, expected: str, version: int, state: LeaseState) -> bool:
        encoded = msgspec.msgpack.encode(state)
        done = self._server.eval(
            _SCRIPT, 1, self._key, expected, version, encoded, state.token, KEPT_S
        )
        return bool(done)


class Keys(NamedTuple):
    """Where the coordinators of one run keep what they share."""

    lease: str
    addresses: str


def keys_of(*, job: str, key: bytes) -> Keys:
    """Return where things of a run are kept: its secret is another one for each run."""
    run = hashlib.blake2b(key, person=b"hotswap lease").hexdigest()[:16]
    return Keys(f"hotswap:{job}:{run}:lease", f"hotswap:{job}:{run}:coordinators")


def _unavailable(error: Exception) -> StateUnwritable:
    return StateUnwritable(
        f"the server of HOTSWAP_REDIS_URL does not answer ({type(error).__name__}: {error}): see "
        "whether it runs; what it held before is intact"
    )
