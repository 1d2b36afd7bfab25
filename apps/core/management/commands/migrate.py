"""`manage.py migrate`, made safe to run while the plane is at work.

On PostgreSQL a change of a table waits for its lock behind long queries, and everything else waits
behind it. So it waits a short while only, gives up, and tries again; one migration is one
transaction, so nothing is half done. Two at once go one after the other.
"""

from contextlib import closing
from time import sleep
from typing import Any, Final

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

# how long a change may wait for its lock, and others behind it
LOCK_WAIT_S: Final = 3
# how often it is tried, and how long it lets others go first
ATTEMPTS_MAX: Final = 20
PAUSE_S: Final = 2.0
# PostgreSQL's code for a lock that was not had in time
LOCK_NOT_AVAILABLE: Final = "55P03"
# what two runs exclude each other by: any number that nothing else uses
MIGRATION_LOCK: Final = 0x686F7473


class Command(migrate.Command):
    """Django's command, with limits on its waits."""

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - as Django has them
        """Run the migrations.

        Raises:
            CommandError: if a lock was not to be had in any attempt.
        """
        connection = connections[options["database"]]
        if connection.vendor != "postgresql":
            super().handle(*args, **options)
            return
        _execute(connection, "SELECT pg_advisory_lock(%s)", MIGRATION_LOCK)
        _execute(connection, "SELECT set_config('lock_timeout', %s, false)", f"{LOCK_WAIT_S}s")
        try:
            self._attempt(args, options)
        finally:
            _execute(connection, "SELECT set_config('lock_timeout', '0', false)")
            _execute(connection, "SELECT pg_advisory_unlock(%s)", MIGRATION_LOCK)

    def _attempt(self, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        for attempt in range(1, ATTEMPTS_MAX + 1):
            try:
                super().handle(*args, **options)
            except OperationalError as error:
                if getattr(error.__cause__, "sqlstate", "") != LOCK_NOT_AVAILABLE:
                    raise
                tried = f"{attempt} of {ATTEMPTS_MAX}"
                self.stderr.write(f"A table is in use; trying again in {PAUSE_S:.0f} s ({tried}).")
                sleep(PAUSE_S)
            else:
                return
        raise CommandError(
            "A table was in use all the time: see which query holds it, then repeat."
        )


def _execute(connection: BaseDatabaseWrapper, statement: str, *values: str | int) -> None:
    with closing(connection.cursor()) as cursor:
        cursor.execute(statement, values)
