"""A fleet in CSV: one node a line, as spreadsheets hold it.

The columns ``name`` and ``class`` must be there; ``address``, ``rack``, ``power``, ``switch``,
``spare``, ``state`` and ``reason`` may. The order does not matter.
"""

import csv
import io
from typing import Final

from apps.fleet.domain.imports.own import state_read
from apps.fleet.domain.imports.values import (
    DOMAIN_KINDS,
    NODES_MAX,
    Fleet,
    FleetUnreadable,
    ReadClass,
    ReadNode,
    domains_of,
    name_checked,
)

_NEEDED: Final = ("name", "class")
_KNOWN: Final = (*_NEEDED, "address", *DOMAIN_KINDS, "spare", "state", "reason")
_TRUTH: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


def csv_read(text: str) -> Fleet:
    """Return the fleet that a CSV text describes; semicolons and tabs divide as well as commas.

    Raises:
        FleetUnreadable: if a column is missing or means nothing, or a line does not fit.
    """
    # spreadsheets mark the beginning of a file
    text = text.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        _check_columns([name.strip() for name in reader.fieldnames or ()])
        reader.fieldnames = [name.strip() for name in reader.fieldnames or ()]
        nodes = tuple(_node(row, line=reader.line_num) for row in reader)
    except csv.Error as error:
        raise FleetUnreadable(str(error), line=reader.line_num) from error
    if len(nodes) > NODES_MAX:
        raise FleetUnreadable(f"more than {NODES_MAX} nodes: import them in parts")
    classes = dict.fromkeys(node.node_class for node in nodes)
    return Fleet(
        classes=tuple(ReadClass(name=name) for name in classes),
        domains=domains_of(nodes),
        nodes=nodes,
    )


def _check_columns(names: list[str]) -> None:
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise FleetUnreadable(f"there is no column {missing[0]!r}", line=1)
    unknown = [name for name in names if name not in _KNOWN]
    if unknown:
        known = ", ".join(_KNOWN)
        raise FleetUnreadable(
            f"column {unknown[0][:40]!r} means nothing; there are {known}", line=1
        )


def _node(row: dict[str | None, str | list[str] | None], *, line: int) -> ReadNode:
    if None in row or None in row.values():
        raise FleetUnreadable("not as many values as columns", line=line)
    held = {str(name): str(value).strip() for name, value in row.items()}
    name = name_checked(held["name"], what="name", line=line)
    spare = held.get("spare", "").lower()
    if spare and spare not in _TRUTH:
        raise FleetUnreadable("spare is yes or no", line=line)
    return ReadNode(
        name=name,
        node_class=name_checked(held["class"], what="class", line=line),
        address=held.get("address", ""),
        domains=tuple(
            (kind, name_checked(held[kind], what=kind, line=line))
            for kind in DOMAIN_KINDS
            if held.get(kind)
        ),
        is_spare=_TRUTH.get(spare),
        state=state_read(held.get("state", ""), of=name, line=line),
        state_reason=held.get("reason", ""),
    )
