"""Racks as they stand, with a tile for each node."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

# domains above a domain; a longer chain is cut, so that a loop in old data cannot hang a reader
DEPTH_MAX: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A failure domain: what its nodes lose together."""

    # its id
    id: UUID
    # rack, power or switch
    kind: str
    # its name
    name: str
    # the domain that it stands in; None: none
    parent_id: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A node, as far as its place is concerned."""

    # its id
    id: UUID
    # its name
    name: str
    # the rack; None: not known
    rack_id: UUID | None
    # every domain that it is in, those above included
    domain_ids: frozenset[UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rack:
    """A rack with its nodes from the top."""

    # the rack; None: nodes of which nobody knows where they stand
    domain: Domain | None
    # domains of other kinds that all of its nodes are in, by kind and name
    shared: tuple[Domain, ...]
    # nodes in natural order of their names
    tiles: tuple[Tile, ...]


def domains_above(*, domains: Mapping[UUID, Domain], domain_id: UUID) -> tuple[UUID, ...]:
    """Return a domain and everything that it stands in, from the inside out."""
    found: list[UUID] = []
    at: UUID | None = domain_id
    while at is not None and at not in found and len(found) < DEPTH_MAX:
        found.append(at)
        domain = domains.get(at)
        at = None if domain is None else domain.parent_id
    return tuple(found)


def layout_from(*, domains: Mapping[UUID, Domain], tiles: Sequence[Tile]) -> tuple[Rack, ...]:
    """Return the racks in natural order of their names; nodes without a rack come last."""
    by_rack: dict[UUID | None, list[Tile]] = defaultdict(list)
    for tile in tiles:
        by_rack[tile.rack_id if tile.rack_id in domains else None].append(tile)
    racks = [
        Rack(
            domain=None if rack_id is None else domains[rack_id],
            shared=_shared(domains=domains, tiles=held, but=rack_id),
            tiles=tuple(sorted(held, key=lambda tile: natural(tile.name))),
        )
        for rack_id, held in by_rack.items()
    ]
    return tuple(sorted(racks, key=lambda rack: (rack.domain is None, natural(_name(rack.domain)))))


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """Return a key that sorts n2 before n10."""
    parts: list[tuple[int, int, str]] = []
    digits, text = "", ""
    for character in name + "\0":
        if character.isdecimal() and character.isascii():
            if text:
                parts.append((1, 0, text))
                text = ""
            digits += character
            continue
        if digits:
            parts.append((0, int(digits), digits))
            digits = ""
        text += character
    return (*parts, (1, 0, text))


def _shared(
    *, domains: Mapping[UUID, Domain], tiles: Sequence[Tile], but: UUID | None
) -> tuple[Domain, ...]:
    """Return the domains that all of the tiles are in, without the rack itself."""
    common = frozenset.intersection(*(tile.domain_ids for tile in tiles)) - {but}
    found = [domains[each] for each in common if each in domains]
    return tuple(sorted(found, key=lambda domain: (domain.kind, natural(domain.name))))


def _name(domain: Domain | None) -> str:
    return "" if domain is None else domain.name
