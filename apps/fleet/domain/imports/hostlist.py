"""Slurm's short form of many names: ``n[1-3,7],login`` for n1, n2, n3, n7 and login."""

import re
from collections.abc import Iterator
from itertools import product
from typing import Final

from apps.fleet.domain.imports.values import DIGITS_MAX, NODES_MAX, FleetUnreadable

_BRACKETS: Final = re.compile(r"\[([^\]]*)\]")
_RANGE: Final = re.compile(r"^([0-9]+)(?:-([0-9]+))?$")


def hostlist_expand(text: str) -> tuple[str, ...]:
    """Return the names that a host list stands for, in its order.

    Raises:
        FleetUnreadable: if it is no host list, or stands for more names than the limit.
    """
    names: list[str] = []
    # a comma within brackets divides numbers, not names
    for entry in re.split(r",(?![^\[]*\])", text):
        if entry.strip():
            names += _expand(entry.strip(), room=NODES_MAX - len(names))
    return tuple(names)


def _expand(entry: str, *, room: int) -> list[str]:
    """Return the names of one entry, ``rack[1-2]n[01-04]``."""
    parts = _BRACKETS.split(entry)
    # every second part stood in brackets
    choices = [
        [part] if index % 2 == 0 else _numbers(part, room=room) for index, part in enumerate(parts)
    ]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > room:
        raise FleetUnreadable(f"{entry!r} stands for more than {NODES_MAX} names")
    return ["".join(each) for each in product(*choices)]


def _numbers(text: str, *, room: int) -> list[str]:
    return [number for entry in text.split(",") for number in _range(entry, room=room)]


def _range(entry: str, *, room: int) -> Iterator[str]:
    """Yield 008, 009, 010 for ``008-010``: the first number's width is kept."""
    found = _RANGE.match(entry)
    if not found or max(len(found[1]), len(found[2] or "")) > DIGITS_MAX:
        raise FleetUnreadable(f"{entry!r} is no number and no range of numbers")
    first, last = int(found[1]), int(found[2] or found[1])
    if last < first or last - first >= room:
        raise FleetUnreadable(f"{entry!r} goes backwards or is too long")
    for number in range(first, last + 1):
        yield str(number).zfill(len(found[1]))
