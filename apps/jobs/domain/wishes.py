"""What may be asked for: a job's name, script, size and environment."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hotswap.environment import VARIABLES

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
RANKS_MAX: Final = 1024
STANDBYS_MAX: Final = 64
COORDINATORS_MAX: Final = 5
ARGUMENTS_MAX: Final = 256
ARGUMENT_LENGTH_MAX: Final = 4096
ENVIRONMENT_MAX: Final = 64
ENVIRONMENT_VALUE_LENGTH_MAX: Final = 4096
PATH_LENGTH_MAX: Final = 4096
#: Set by the agent itself, or able to change which code runs before the script does.
ENVIRONMENT_REFUSED: Final = frozenset({*VARIABLES, "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH"})


@dataclass(frozen=True, slots=True, kw_only=True)
class JobWish:
    """A job as it is asked for."""

    name: str
    # path on the nodes
    script: str
    arguments: Sequence[str] = ()
    ranks: int
    standbys: int = 0
    coordinators: int = 2
    environment: Mapping[str, str] = field(default_factory=dict)
    # None: no micro-checkpoints
    checkpoint_every_steps: int | None = None
    seed: int | None = None
    # folder shared by the nodes, in which the job's own one is made; empty: below HOTSWAP_HOME
    directory: str = ""


def wish_problems(wish: JobWish) -> dict[str, list[str]]:
    """Return what is wrong with a wish, by field; nothing if it can be tried."""
    problems: dict[str, list[str]] = {}
    for name, text in (*_words(wish), *_numbers(wish), *_environment(wish.environment)):
        problems.setdefault(name, []).append(text)
    return problems


def _words(wish: JobWish) -> Iterator[tuple[str, str]]:
    if NAME.fullmatch(wish.name) is None:
        yield (
            "name",
            "Up to 64 letters, digits, dots, dashes and underscores; a letter or digit first.",
        )
    for name, path in (("script", wish.script), ("directory", wish.directory)):
        if "\0" in path or len(path) > PATH_LENGTH_MAX:
            yield name, f"A path of at most {PATH_LENGTH_MAX} characters, without null ones."
    if not wish.script:
        yield "script", "Say which script the nodes are to run."
    if wish.directory and not wish.directory.startswith("/"):
        yield "directory", "An absolute path on the nodes."
    if len(wish.arguments) > ARGUMENTS_MAX:
        yield "arguments", f"At most {ARGUMENTS_MAX}."
    if any("\0" in each or len(each) > ARGUMENT_LENGTH_MAX for each in wish.arguments):
        yield "arguments", f"Each of at most {ARGUMENT_LENGTH_MAX} characters, without null ones."


def _numbers(wish: JobWish) -> Iterator[tuple[str, str]]:
    for name, value, least, most in (
        ("ranks", wish.ranks, 1, RANKS_MAX),
        ("standbys", wish.standbys, 0, STANDBYS_MAX),
        ("coordinators", wish.coordinators, 1, COORDINATORS_MAX),
    ):
        if not least <= value <= most:
            yield name, f"From {least} to {most}."
    if wish.checkpoint_every_steps is not None and wish.checkpoint_every_steps < 1:
        yield "checkpoint_every_steps", "At least 1, or nothing for no checkpoints."


def _environment(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if len(environment) > ENVIRONMENT_MAX:
        yield "environment", f"At most {ENVIRONMENT_MAX} variables."
    for name, value in environment.items():
        if VARIABLE.fullmatch(name) is None:
            yield "environment", f"{name[:40]!r} is no name of a variable."
        elif name in ENVIRONMENT_REFUSED:
            yield "environment", f"{name} is not for you to set: it is the agent's."
        elif "\0" in value or len(value) > ENVIRONMENT_VALUE_LENGTH_MAX:
            yield (
                "environment",
                f"{name}: at most {ENVIRONMENT_VALUE_LENGTH_MAX} characters, without null ones.",
            )
