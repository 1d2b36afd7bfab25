"""Which addresses a webhook may be sent to: none inside, or a tenant could read the operator's own.

A name is looked up once, each address that comes back is checked, and the connection goes to one
that was checked: a name that answers differently the second time gains nothing.
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final
from urllib.parse import urlsplit

URL_LETTERS_MAX: Final = 500
# carrier-grade NAT is not "private" to Python, and not outside either: `is_global` is asked instead
_NAT64_PREFIX: Final = bytes.fromhex("0064ff9b0000000000000000")


def url_problem(url: str, *, private_allowed: bool) -> str | None:
    """Return what is wrong with a webhook's address as it is written; None: nothing."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "This is no address."
    if len(url) > URL_LETTERS_MAX:
        return f"An address has {URL_LETTERS_MAX} letters at most."
    schemes = {"https", "http"} if private_allowed else {"https"}
    if parts.scheme not in schemes:
        return "Only https is possible: what is sent is signed, not secret."
    if not parts.hostname or parts.username or parts.password or port == 0:
        return "Give https://host/path, without user and password."
    try:
        address = ip_address(parts.hostname)
    except ValueError:
        return None  # a name: checked when it is looked up
    return address_problem(address, private_allowed=private_allowed)


def address_problem(address: IPv4Address | IPv6Address, *, private_allowed: bool) -> str | None:
    """Return why nothing is sent to an address; None: it may be."""
    inner = _embedded(address)
    if inner.is_multicast or inner.is_unspecified:
        return f"{address} is no address of one machine."
    if private_allowed or inner.is_global:
        return None
    return f"{address} is not on the public internet."


def first_allowed(addresses: Iterable[str], *, private_allowed: bool) -> str:
    """Return the address to connect to.

    Raises:
        ValueError: one of them is not allowed, or there is none; the text says which.
    """
    found = [ip_address(each) for each in addresses]
    if not found:
        raise ValueError("the name has no address")
    for each in found:  # a name with one address inside and one outside is a trick
        problem = address_problem(each, private_allowed=private_allowed)
        if problem:
            raise ValueError(problem)
    return str(found[0])


def _embedded(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 one stands for; else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address.packed.startswith(_NAT64_PREFIX):
        return IPv4Address(address.packed[-4:])
    return address.ipv4_mapped or address.sixtofour or address
