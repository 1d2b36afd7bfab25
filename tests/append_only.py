"""Tables that refuse deletion, and tests that have to empty them."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module

from django.db import connection


@contextmanager
def append_only_lifted() -> Iterator[None]:
    """Let audit entries be changed and deleted, as somebody could who owns the database."""
    migration = import_module("apps.audit.migrations.0002_append_only")
    with connection.schema_editor(atomic=False) as editor:
        migration.allow(None, editor)
    try:
        yield
    finally:
        with connection.schema_editor(atomic=False) as editor:
            migration.refuse(None, editor)


def lift_append_only_while_flushing() -> None:
    """Make Django's way of emptying all tables after a test pass the triggers."""
    execute = connection.ops.execute_sql_flush

    def flush(statements: Iterable[str]) -> None:
        with append_only_lifted():
            execute(statements)

    connection.ops.execute_sql_flush = flush  # type: ignore[assignment, method-assign] # of this connection
