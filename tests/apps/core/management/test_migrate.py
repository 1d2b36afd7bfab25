"""Migrations wait for a lock a short while, let others go first, and try again."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from apps.core.management.commands import migrate

pytestmark = pytest.mark.django_db(transaction=True)

TABLE = "webhooks_webhook"


@contextmanager
def table_in_use(until: threading.Event) -> Iterator[None]:
    """Hold a table's lock in a transaction of another connection."""
    held = threading.Event()

    def hold() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"LOCK TABLE {TABLE} IN ACCESS SHARE MODE")
            held.set()
            until.wait(timeout=30)
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(timeout=10)
    try:
        yield
    finally:
        until.set()
        holder.join(timeout=30)


def migrated(*arguments: str) -> str:
    said = StringIO()
    call_command("migrate", *arguments, stdout=StringIO(), stderr=said)
    return said.getvalue()


def test_a_schema_that_is_up_to_date_needs_no_wait() -> None:
    assert migrated() == ""


def test_a_lock_that_is_not_had_is_tried_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor == "sqlite":
        # it has one writer at a time and no lock to wait for: nothing is tried again
        assert migrated("webhooks", "zero") + migrated("webhooks") == ""
        return
    until = threading.Event()
    monkeypatch.setattr(migrate, "LOCK_WAIT_S", 1)
    monkeypatch.setattr(migrate, "sleep", lambda _s: until.set())
    with table_in_use(until):
        said = migrated("webhooks", "zero")
    assert "trying again in 2 s (1 of 20)" in said
    assert migrated("webhooks") == ""


def test_a_lock_that_is_never_had_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor == "sqlite":
        assert migrated() == ""
        return
    monkeypatch.setattr(migrate, "LOCK_WAIT_S", 1)
    monkeypatch.setattr(migrate, "ATTEMPTS_MAX", 1)
    monkeypatch.setattr(migrate, "sleep", lambda _s: None)
    with table_in_use(threading.Event()), pytest.raises(CommandError, match="in use all the time"):
        migrated("webhooks", "zero")
