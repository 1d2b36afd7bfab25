"""A process that dies at a given write, without dying: what it had begun is rolled back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

_WRITES = ("INSERT", "UPDATE", "DELETE")


class Killed(BaseException):
    """The process is gone; nothing catches this."""


@contextmanager
def killed_at(write: int) -> Iterator[None]:
    """Die just before the ``write``-th write; what is in an open transaction never was."""
    seen = 0

    def execute(run: Callable[..., Any], sql: str, *rest: Any) -> Any:
        nonlocal seen
        if sql.lstrip().upper().startswith(_WRITES):
            seen += 1
            if seen == write:
                raise Killed
        return run(sql, *rest)

    with connection.execute_wrapper(execute):
        yield


@contextmanager
def undone() -> Iterator[None]:
    """Undo everything at the end, as if it had never been."""
    mark = transaction.savepoint()
    try:
        yield
    finally:
        transaction.savepoint_rollback(mark)
