"""`manage.py audit verify`: is the trail as it was written?"""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from apps.audit.domain.chain import PLATFORM, Verdict
from apps.audit.selectors import audit_verify, audit_verify_all


class Command(BaseCommand):
    """Looks at the audit trail."""

    help = "Check every entry of the audit trail, and the head of each chain."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what is to be done, and options."""
        parser.add_argument("verb", choices=("verify",))
        parser.add_argument("--tenant", type=UUID, help="only this one's chain")
        parser.add_argument(
            "--known",
            action="append",
            default=[],
            metavar="SEQUENCE=DIGEST",
            help="an entry that was kept elsewhere, from an earlier look; takes --tenant",
        )

    def handle(self, *_args: Any, **options: Any) -> None:  # noqa: ANN401 - as Django has them
        """Say what was found; fail if anything is wrong."""
        tenant, known = options["tenant"], _known(options["known"])
        if known and tenant is None:
            raise CommandError("Say with --tenant whose entries are known.")
        if tenant is None:
            verdicts = audit_verify_all()
        else:
            verdicts = {tenant: audit_verify(tenant_id=tenant, known=known)}
        for chain, verdict in verdicts.items():
            self.stdout.write(_line(chain, verdict))
        if not all(verdict.ok for verdict in verdicts.values()):
            raise CommandError("The audit trail is not as it was written.")


def _known(texts: list[str]) -> dict[int, str]:
    try:
        pairs = [text.split("=", 1) for text in texts]
        return {int(sequence): digest for sequence, digest in pairs}
    except ValueError as error:
        raise CommandError("--known takes SEQUENCE=DIGEST.") from error


def _line(chain: UUID, verdict: Verdict) -> str:
    name = "platform" if chain == PLATFORM else str(chain)
    if not verdict.ok:
        return f"{name}: WRONG from entry {verdict.first_bad} on: {verdict.problem}"
    head = f", head {verdict.head.sequence}={verdict.head.digest}" if verdict.head else ""
    return f"{name}: {verdict.entries} entries, all as they were written{head}"
