"""The database itself refuses to change or delete an entry, and to delete a head."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

MESSAGE = "the audit trail is append-only"

ENTRIES, HEADS = "audit_auditentry", "audit_audithead"
REFUSED = ((ENTRIES, "UPDATE"), (ENTRIES, "DELETE"), (HEADS, "DELETE"))
TRUNCATED = ((ENTRIES, "TRUNCATE"), (HEADS, "TRUNCATE"))

SQLITE_CREATE = [
    f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
    f"BEGIN SELECT RAISE(ABORT, '{MESSAGE}'); END"
    for table, verb in REFUSED
]
SQLITE_DROP = [f"DROP TRIGGER IF EXISTS {table}_no_{verb.lower()}" for table, verb in REFUSED]
POSTGRES_CREATE = [
    f"""
    CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION '{MESSAGE}' USING ERRCODE = 'restrict_violation'; END $$
    """,
    *(
        f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
        f"FOR EACH {'STATEMENT' if verb == 'TRUNCATE' else 'ROW'} EXECUTE FUNCTION audit_refuse()"
        for table, verb in (*REFUSED, *TRUNCATED)
    ),
]
POSTGRES_DROP = [
    *(
        f"DROP TRIGGER IF EXISTS {table}_no_{verb.lower()} ON {table}"
        for table, verb in (*REFUSED, *TRUNCATED)
    ),
    "DROP FUNCTION IF EXISTS audit_refuse()",
]


def refuse(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Begin to refuse."""
    for statement in {"sqlite": SQLITE_CREATE, "postgresql": POSTGRES_CREATE}[
        editor.connection.vendor
    ]:
        editor.execute(statement)


def allow(_apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Cease to refuse."""
    for statement in {"sqlite": SQLITE_DROP, "postgresql": POSTGRES_DROP}[editor.connection.vendor]:
        editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [migrations.RunPython(refuse, allow)]
