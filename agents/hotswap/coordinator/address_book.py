"""Where a coordinator says that it listens: in the job's directory, and where else one may look.

`AddressBook` is a port; see `hotswap.channel.addresses` for what the announcements are for.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from hotswap.channel.addresses import Address, address_of, announce, withdraw


class AddressBook(Protocol):
    """Announcements by the coordinators' names; a later one of a name replaces the one before.

    Called from one thread at a time. Every call may raise `OSError`: nothing was announced.
    """

    def announce(self, *, name: str, address: Address, token: int = 0) -> None:
        """Say that the coordinator ``name`` listens, and leads under ``token`` unless that is 0."""

    def withdraw(self, *, name: str) -> None:
        """Say that the coordinator ``name`` is gone; idempotent."""

    def address_of(self, *, name: str) -> Address | None:
        """Return where the coordinator ``name`` listens; None: it has not said so."""


class DirectoryBook:
    """Implements `AddressBook` for all who share the job's directory."""

    def __init__(self, job_directory: Path) -> None:
        """Keep the announcements in ``job_directory``."""
        self._directory = job_directory

    def announce(self, *, name: str, address: Address, token: int = 0) -> None:
        """See `AddressBook.announce`."""
        announce(self._directory, name=name, address=address, token=token)

    def withdraw(self, *, name: str) -> None:
        """See `AddressBook.withdraw`."""
        withdraw(self._directory, name=name)

    def address_of(self, *, name: str) -> Address | None:
        """See `AddressBook.address_of`."""
        return address_of(self._directory, name=name)


class SeveralBooks:
    """Implements `AddressBook` by several: announced in all, looked up in the order given."""

    def __init__(self, books: Sequence[AddressBook]) -> None:
        """Use these."""
        self._books = tuple(books)

    def announce(self, *, name: str, address: Address, token: int = 0) -> None:
        """See `AddressBook.announce`; a book that fails keeps nobody from the others."""
        errors = []
        for book in self._books:
            try:
                book.announce(name=name, address=address, token=token)
            except OSError as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def withdraw(self, *, name: str) -> None:
        """See `AddressBook.withdraw`."""
        for book in self._books:
            book.withdraw(name=name)

    def address_of(self, *, name: str) -> Address | None:
        """See `AddressBook.address_of`."""
        found = (book.address_of(name=name) for book in self._books)
        return next((address for address in found if address is not None), None)
