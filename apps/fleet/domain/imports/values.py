"""What every reader makes of a text."""

from dataclasses import dataclass, field
from typing import Final

from apps.fleet.domain.states import NodeState

# size of one text, in bytes
TEXT_NBYTES_MAX: Final = 16 << 20
# nodes of one text
NODES_MAX: Final = 20_000
# length of a name
NAME_LENGTH_MAX: Final = 120

# greatest figure that is taken in, and how many digits it has
WHOLE_MAX: Final = 2**31 - 1
DIGITS_MAX: Final = 10
# length of a reason
REASON_LENGTH_MAX: Final = 500
# levels of firmware and software of a node
LEVELS_MAX: Final = 32

DOMAIN_KINDS: Final = ("rack", "power", "switch")


class FleetUnreadable(Exception):
    """A text does not describe a fleet in the form that it should have."""

    def __init__(self, what: str, *, line: int | None = None) -> None:
        """Make an error; ``line`` counts from 1, None if it is not known."""
        self.what = what
        self.line = line
        super().__init__(what if line is None else f"line {line}: {what}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadClass:
    """A node class as a text has it."""

    # its name
    name: str
    # maker of the accelerators; empty: not said
    vendor: str = ""
    # accelerators of one node; None: not said
    accelerators: int | None = None
    # memory of one node; None: not said
    memory_gib: int | None = None
    # power of one accelerator at its full rate; None: not said
    tdp_w: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDomain:
    """A failure domain as a text has it."""

    # rack, power or switch
    kind: str
    # its name, unique among its kind
    name: str
    # kind and name of what it stands in; None: nothing
    parent: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadNode:
    """A node as a text has it."""

    # its name
    name: str
    # name of its class
    node_class: str
    # how it is reached; empty: not said
    address: str = ""
    # kind and name of each failure domain that it is in
    domains: tuple[tuple[str, str], ...] = ()
    # whether it is kept as a spare; None: not said
    is_spare: bool | None = None
    # state that it enters with if it is new; None: not said
    state: NodeState | None = None
    # why it is in that state
    state_reason: str = ""
    # levels of firmware and software, by name; empty: not said
    firmware: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """What a text says."""

    # name of the cluster; None: not said
    cluster: str | None = None
    # node classes that the nodes name
    classes: tuple[ReadClass, ...] = ()
    # failure domains that the nodes name, and those above
    domains: tuple[ReadDomain, ...] = ()
    # the nodes
    nodes: tuple[ReadNode, ...] = ()
    # what was left out, and why
    notes: tuple[str, ...] = ()


def name_checked(name: str, *, what: str, line: int | None = None) -> str:
    """Return a name without the space around it.

    Raises:
        FleetUnreadable: if it is empty, too long, or has characters that cannot be seen.
    """
    name = name.strip()
    if not name or len(name) > NAME_LENGTH_MAX or not name.isprintable():
        raise FleetUnreadable(
            f"{what} must have 1 to {NAME_LENGTH_MAX} printable characters", line=line
        )
    return name


def whole_read(text: str) -> int | None:
    """Return the whole number that a text is; None if it is none, or a greater one than is kept."""
    if not text.isascii() or not text.isdecimal() or len(text) > DIGITS_MAX:
        return None
    number = int(text)
    return number if number <= WHOLE_MAX else None


def text_tidied(text: str, *, length_max: int = NAME_LENGTH_MAX) -> str:
    """Return a text in which everything can be seen, no longer than the limit."""
    return "".join(each if each.isprintable() else " " for each in text[:length_max]).strip()


def domains_of(nodes: tuple[ReadNode, ...]) -> tuple[ReadDomain, ...]:
    """Return the domains that nodes name, for texts that say no more about them."""
    named = dict.fromkeys(domain for node in nodes for domain in node.domains)
    return tuple(ReadDomain(kind=kind, name=name) for kind, name in named)
