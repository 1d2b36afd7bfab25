"""Which roles, scopes and names are possible."""

import re
from collections.abc import Iterable
from typing import Final

from apps.core.access import SCOPES, Role
from apps.core.errors import Invalid

NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?")


def roles_checked(roles: Iterable[str]) -> list[str]:
    """Return roles sorted and once each. Raises Invalid for one that does not exist."""
    return _known(roles, {role.value for role in Role}, "roles")


def scopes_checked(scopes: Iterable[str]) -> list[str]:
    """Return scopes sorted and once each. Raises Invalid for one that does not exist, or none."""
    found = _known(scopes, set(SCOPES), "scopes")
    if not found:
        raise Invalid(fields={"scopes": ["Name at least one."]})
    return found


def name_checked(name: str, *, field: str) -> str:
    """Return a name for machines: lower case, digits, dots, dashes. Raises Invalid."""
    if not NAME.fullmatch(name):
        raise Invalid(fields={field: ["Lower-case letters, digits, dots and dashes; 63 at most."]})
    return name


def _known(given: Iterable[str], known: set[str], field: str) -> list[str]:
    found = sorted(set(given))
    unknown = [name for name in found if name not in known]
    if unknown:
        text = f"Unknown: {', '.join(unknown)}. Known: {', '.join(sorted(known))}."
        raise Invalid(fields={field: [text]})
    return found
