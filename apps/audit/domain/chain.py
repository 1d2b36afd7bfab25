"""A chain of entries: each holds the digest of the one before, a signed head holds the last.

An entry's body is canonical JSON and is kept as text, so that no database's idea of a number can
change what was signed. The head is signed with a key that is not in the database: who can write to
the database alone can neither append, nor cut the end off, unseen.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from apps.core import canonical
from apps.core.access import Actor

# the digest before the first entry
GENESIS: Final = canonical.PREFIX + "0" * 64
# the chain of what belongs to no tenant; it also names every other chain
PLATFORM: Final = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One entry as it is stored: what the columns say, and the signed body."""

    # columns that a query filters by, named as in the body; the body is what counts
    columns: Mapping[str, Any]
    # canonical JSON
    body: str
    # of the body
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The end of a chain."""

    # of the last entry
    sequence: int
    digest: str
    # over tenant, sequence and digest
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a look at a whole chain has found."""

    # entries that are as they were written
    entries: int
    # sequence of the first one that is not; None: all are
    first_bad: int | None
    # what is wrong, for a person; empty: nothing
    problem: str
    # of the chain as it is; None: empty
    head: Head | None

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return self.first_bad is None


def entry_body(
    *,
    tenant_id: UUID,
    sequence: int,
    previous: str,
    at: datetime,
    actor: Actor,
    action: str,
    subject: str,
    detail: Mapping[str, Any],
) -> dict[str, Any]:
    """Return what an entry says; times in UTC, to the microsecond."""
    return {
        "tenant": str(tenant_id),
        "sequence": sequence,
        "previous": previous,
        "at": at.astimezone(UTC).isoformat(timespec="microseconds"),
        "actor": actor.as_json(),
        "action": action,
        "subject": subject,
        "detail": dict(detail),
    }


def text_digest(text: str) -> str:
    """Return the digest of an entry's text."""
    return canonical.PREFIX + hashlib.sha256(text.encode()).hexdigest()


def head_signature(*, key: str, tenant_id: UUID, sequence: int, digest: str) -> str:
    """Return the signature of a head: HMAC-SHA256, in hex."""
    text = canonical.encode({"tenant": str(tenant_id), "sequence": sequence, "digest": digest})
    return hmac.new(key.encode(), text, hashlib.sha256).hexdigest()


def chain_verify(
    *,
    tenant_id: UUID,
    links: Iterable[Link],
    head: Head | None,
    key: str,
    known: Mapping[int, str] | None = None,
) -> Verdict:
    """Look at every entry of a chain, and at its head.

    Args:
        tenant_id: whose chain it is.
        links: every entry, in the order of their sequence.
        head: as it is stored; None if there is none.
        key: that heads are signed with.
        known: digests by sequence that somebody has kept outside, from earlier looks.
    """
    previous, count = GENESIS, 0
    for link in links:
        problem = _problem_of(link, tenant_id, count + 1, previous, known or {})
        if problem:
            return Verdict(entries=count, first_bad=count + 1, problem=problem, head=head)
        previous, count = link.digest, count + 1
    problem = _problem_of_head(head, key, tenant_id, count, previous, known or {})
    return Verdict(
        entries=count, first_bad=count + 1 if problem else None, problem=problem, head=head
    )


def _problem_of(
    link: Link, tenant_id: UUID, sequence: int, previous: str, known: Mapping[int, str]
) -> str:
    """Return what is wrong with one entry; empty: nothing."""
    body = canonical.decode(link.body)
    expected = {"tenant": str(tenant_id), "sequence": sequence, "previous": previous}
    if text_digest(link.body) != link.digest or not isinstance(body, dict):
        return f"entry {sequence} was altered"
    if any(body.get(name) != value for name, value in expected.items()):
        return f"entry {sequence} is missing, or not in its place"
    if any(body.get(name) != value for name, value in link.columns.items()):
        return f"the columns of entry {sequence} do not say what the entry says"
    if known.get(sequence, link.digest) != link.digest:
        return f"entry {sequence} is not the one that was known before"
    return ""


def _problem_of_head(
    head: Head | None,
    key: str,
    tenant_id: UUID,
    count: int,
    last: str,
    known: Mapping[int, str],
) -> str:
    """Return what is wrong at the end of a chain; empty: nothing."""
    if max(known, default=0) > count:
        return f"entries up to {max(known)} were known before, and there are {count}"
    if head is None:
        return "the head is missing" if count else ""
    signature = head_signature(
        key=key, tenant_id=tenant_id, sequence=head.sequence, digest=head.digest
    )
    if not hmac.compare_digest(signature, head.signature):
        return "the head's signature is not ours"
    if (head.sequence, head.digest) != (count, last):
        return f"the head says that there are {head.sequence} entries, and there are {count}"
    return ""
