"""Locks of an ordinary client of the database: they hold the plane in the middle of a write."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import psycopg
from django.db import connection

from dev.stack.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What keeps a proposal from reserving its spare.
NO_SPARE: Final = "SELECT 1 FROM fleet_node WHERE is_spare FOR NO KEY UPDATE"
#: What keeps a plan from asking for its approval; foreign keys can be checked meanwhile.
NO_REQUEST: Final = "LOCK TABLE approvals_request IN SHARE MODE"
#: What keeps an approved swap from being commanded: whoever begins one holds its tenant's limits.
NO_START: Final = "SELECT 1 FROM swaps_swaplimit FOR UPDATE"
#: Longest wait for somebody to wait for the lock, s.
BLOCKED_S: Final = 30.0


@contextmanager
def locked(url: str, sql: str) -> Iterator[None]:
    """Hold a lock; a database that is killed meanwhile has let go of it."""
    client = psycopg.connect(url)
    try:
        client.execute(sql)
        yield
    finally:
        with suppress(psycopg.Error):
            client.close()


def wait_blocked() -> None:
    """Wait until a process of the plane waits for a lock, hence has begun a write."""

    def blocked() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                " AND datname = current_database()"
            )
            return bool(cursor.fetchone()[0])

    wait_until(blocked, "a process that waits for the lock", wait_s=BLOCKED_S)
