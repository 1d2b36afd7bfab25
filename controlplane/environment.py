"""The control plane's settings, read from the environment and checked as a whole.

The comment above a field is its line in ``docs/reference/control-plane.md``.
"""

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SECRET_LENGTH_MIN: Final = 32
# as long as the authority's own certificate
DAYS_MAX: Final = 3650
DATABASES: Final = ("sqlite:///", "postgres://", "postgresql://")
BROKERS: Final = ("redis://", "rediss://", "unix://")
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]", "testserver"})

# the variable of each field
VARIABLES: Final[Mapping[str, str]] = {
    "development": "HOTSWAP_DEVELOPMENT",
    "secret_key": "HOTSWAP_SECRET_KEY",
    "audit_key": "HOTSWAP_AUDIT_KEY",
    "hosts": "HOTSWAP_HOSTS",
    "database_url": "DATABASE_URL",
    "redis_url": "REDIS_URL",
    "tls": "HOTSWAP_TLS",
    "authority_dir": "HOTSWAP_AUTHORITY_DIR",
    "certificate_days": "HOTSWAP_ENROLMENT_VALID_DAYS",
    "frontend_dir": "HOTSWAP_FRONTEND_DIR",
    "webhook_private": "HOTSWAP_WEBHOOK_PRIVATE",
    "metrics_token": "HOTSWAP_METRICS_TOKEN",
}


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
    # how long a certificate of an agent is valid, days; agents renew theirs after two thirds of it
    certificate_days: float
    # folder of the built front end
    frontend_dir: Path
    # webhooks may go to private addresses
    webhook_private: bool
    # bearer token for /metrics; empty: whoever reaches it may read
    metrics_token: str = field(repr=False)


class _Reader:
    """Reads the values of fields, and collects what is wrong with them."""

    def __init__(self, values: Mapping[str, str]) -> None:
        """Read from a mapping such as ``os.environ``."""
        self._values = values
        self.problems: list[str] = []
        self.development = self.flag("development", default=False)

    def text(self, field_name: str, *, default: str) -> str:
        """Return a value, or its default."""
        return self._values.get(VARIABLES[field_name], "").strip() or default

    def needed(self, field_name: str, *, development: str) -> str:
        """Return a value that has to be given, except in development, where it has a default."""
        value = self.text(field_name, default=development if self.development else "")
        if not value and not self.development:
            self.problems.append(f"{VARIABLES[field_name]} is missing")
        return value

    def days(self, field_name: str, *, default: float) -> float:
        """Return a number of days, a fraction of one too."""
        text = self.text(field_name, default=str(default))
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value <= DAYS_MAX:
            name = VARIABLES[field_name]
            self.problems.append(f"{name} is {text!r}, and has to be days, {DAYS_MAX} at most")
            return default
        return value

    def flag(self, field_name: str, *, default: bool) -> bool:
        """Return a switch: 1 or 0."""
        value = self.text(field_name, default="1" if default else "0")
        if value not in {"0", "1"}:
            self.problems.append(f"{VARIABLES[field_name]} is {value!r}, and has to be 1 or 0")
            return default
        return value == "1"


def read(values: Mapping[str, str]) -> Environment:
    """Return the settings.

    Raises:
        SettingsInvalid: with everything that is missing, malformed or contradictory.
    """
    reader = _Reader(values)
    plane = ROOT / "runs" / "plane"
    environment = Environment(
        development=reader.development,
        secret_key=reader.needed("secret_key", development=_development_key("secret")),
        audit_key=reader.needed("audit_key", development=_development_key("audit")),
        hosts=_names(reader.needed("hosts", development="localhost,127.0.0.1,[::1]")),
        database_url=reader.needed("database_url", development=f"sqlite:///{plane}/plane.sqlite3"),
        redis_url=reader.needed("redis_url", development=""),
        tls=reader.flag("tls", default=not reader.development),
        authority_dir=Path(reader.needed("authority_dir", development=str(plane / "authority"))),
        certificate_days=reader.days("certificate_days", default=90),
        frontend_dir=Path(reader.text("frontend_dir", default=str(ROOT / "frontend" / "dist"))),
        webhook_private=reader.flag("webhook_private", default=False),
        metrics_token=reader.text("metrics_token", default=""),
    )
    problems = [*reader.problems, *_malformed(environment), *_contradictions(environment)]
    if problems:
        raise SettingsInvalid(problems)
    return environment


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _development_key(purpose: str) -> str:
    """Return a key that is good for one machine: fixed, so that sessions outlive a restart."""
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
