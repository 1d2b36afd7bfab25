"""The control plane's settings, read from the environment and checked as a whole.

The comment above a field is its line in ``docs/reference/settings.md``.
"""

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

ROOT: Final = Path(__file__).parents[1]
SECRET_LENGTH_MIN: Final = 32
DATABASES: Final = ("sqlite:///", "postgres://", "postgresql://")
BROKERS: Final = ("redis://", "rediss://", "unix://")
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]", "testserver"})

T = TypeVar("T")


class SettingsInvalid(Exception):
    """The environment does not make a control plane. The message holds everything that is wrong."""

    def __init__(self, problems: list[str]) -> None:
        """Make an error of all that was found."""
        self.problems = problems
        lines = "\n".join(f"  - {text}" for text in problems)
        super().__init__(
            f"These settings have to be mended before anything starts:\n{lines}\n"
            "For a look on one machine, HOTSWAP_DEVELOPMENT=1 sets them all."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """What the environment says."""

    # one machine, defaults for everything, no TLS: for a look, a demo and the tests
    development: bool
    # signs sessions and cursors; at least 32 characters
    secret_key: str = field(repr=False)
    # signs the heads of audit chains; at least 32 characters, and not the secret key
    audit_key: str = field(repr=False)
    # names under which browsers reach it, separated by commas
    hosts: tuple[str, ...]
    # `sqlite:///path` or `postgresql://user:password@host:port/name`
    database_url: str = field(repr=False)
    # broker, channel layer, cache and leases; empty: within one process, for tests
    redis_url: str = field(repr=False)
    # browsers come over TLS, terminated in front: cookies and HSTS rely on it
    tls: bool
    # folder of the authority's key and certificate, made at the first enrolment
    authority_dir: Path
    # folder of the built front end
    frontend_dir: Path
    # webhooks may go to private addresses
    webhook_private: bool
    # bearer token for /metrics; empty: whoever reaches it may read
    metrics_token: str = field(repr=False)


class _Reader:
    """Reads values and collects what is wrong with them."""

    def __init__(self, values: Mapping[str, str]) -> None:
        """Read from a mapping such as ``os.environ``."""
        self.values = values
        self.problems: list[str] = []

    def text(self, name: str, *, default: str | None) -> str:
        """Return a value; without a default, it has to be given."""
        value = self.values.get(name, "").strip()
        if value:
            return value
        if default is None:
            self.problems.append(f"{name} is missing")
            return ""
        return default

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a switch: 1 or 0."""
        value = self.values.get(name, "").strip()
        if value not in {"", "0", "1"}:
            self.problems.append(f"{name} is {value!r}, and has to be 1 or 0")
        return value == "1" if value in {"0", "1"} else default

    def parsed(self, name: str, text: str, parse: Callable[[str], T]) -> T | None:
        """Return a value made of a text; None, and a problem, where it can't be made."""
        try:
            return parse(text)
        except ValueError as error:
            self.problems.append(f"{name}: {error}")
            return None


def read(values: Mapping[str, str]) -> Environment:
    """Return the settings.

    Raises:
        SettingsInvalid: with everything that is missing, malformed or contradictory.
    """
    reader = _Reader(values)
    development = reader.flag("HOTSWAP_DEVELOPMENT", default=False)

    def needed(name: str, default: str) -> str:
        return reader.text(name, default=default if development else None)

    environment = Environment(
        development=development,
        secret_key=needed("HOTSWAP_SECRET_KEY", _development_key(values, "secret")),
        audit_key=needed("HOTSWAP_AUDIT_KEY", _development_key(values, "audit")),
        hosts=tuple(
            name.strip()
            for name in needed("HOTSWAP_HOSTS", "localhost,127.0.0.1,[::1]").split(",")
            if name.strip()
        ),
        database_url=needed("DATABASE_URL", f"sqlite:///{ROOT}/runs/plane/plane.sqlite3"),
        redis_url=needed("REDIS_URL", ""),
        tls=reader.flag("HOTSWAP_TLS", default=not development),
        authority_dir=Path(needed("HOTSWAP_AUTHORITY_DIR", str(ROOT / "runs/plane/authority"))),
        frontend_dir=Path(reader.text("HOTSWAP_FRONTEND_DIR", default=str(ROOT / "frontend/dist"))),
        webhook_private=reader.flag("HOTSWAP_WEBHOOK_PRIVATE", default=False),
        metrics_token=reader.text("HOTSWAP_METRICS_TOKEN", default=""),
    )
    problems = [*reader.problems, *_malformed(environment), *_contradictions(environment)]
    if problems:
        raise SettingsInvalid(problems)
    return environment


def _development_key(values: Mapping[str, str], purpose: str) -> str:
    """Return a key that is good for one machine: fixed, so that sessions outlive a restart."""
    del values
    return f"development-only-{purpose}-key-not-for-anything-that-matters"


def _malformed(environment: Environment) -> Iterator[str]:
    keys = {"SECRET": environment.secret_key, "AUDIT": environment.audit_key}
    for purpose, key in keys.items():
        if key and len(key) < SECRET_LENGTH_MIN:
            example = secrets.token_urlsafe(SECRET_LENGTH_MIN)
            yield (
                f"HOTSWAP_{purpose}_KEY has {len(key)} characters, and has to have at least "
                f"{SECRET_LENGTH_MIN}; here is a fresh one: {example}"
            )
    url = environment.database_url
    if url and not url.startswith(DATABASES):
        yield f"DATABASE_URL has to begin with one of {', '.join(DATABASES)}"
    url = environment.redis_url
    if url and not url.startswith(BROKERS):
        yield f"REDIS_URL has to begin with one of {', '.join(BROKERS)}"


def _contradictions(environment: Environment) -> Iterator[str]:
    if environment.secret_key and environment.secret_key == environment.audit_key:
        yield "HOTSWAP_AUDIT_KEY is the same as HOTSWAP_SECRET_KEY: who has one must not have both"
    outside = [name for name in environment.hosts if name not in LOOPBACK]
    if outside and environment.development:
        yield (
            f"HOTSWAP_DEVELOPMENT=1 contradicts HOTSWAP_HOSTS={','.join(outside)}: "
            "development is for this machine alone"
        )
    if outside and not environment.tls and not environment.development:
        yield (
            f"HOTSWAP_TLS=0 contradicts HOTSWAP_HOSTS={','.join(outside)}: passwords would cross "
            "the network in the clear"
        )
    if "*" in environment.hosts:
        yield "HOTSWAP_HOSTS has to name the hosts: * lets any name in"
