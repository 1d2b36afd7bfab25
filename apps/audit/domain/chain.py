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
from typing import Any, Final, Protocol
from uuid import UUID

from apps.core import canonical
from apps.core.access import Actor

# the digest before the first entry
GENESIS: Final = canonical.PREFIX + "0" * 64
# the chain of what belongs to no tenant; it also names every other chain
PLATFORM: Final = UUID(int=0)
# with which that chain names another
ACTION_CHAIN_STARTED: Final = "audit.chain_started"


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


class Source(Protocol):
    """Where a chain is read: entries first, then the head, then what was written between."""

    def links(self, *, after: int, until: int | None) -> Iterable[Link]:
        """Yield entries by sequence, after one and until another, which is included."""

    def head(self) -> Head | None:
        """Return the head as it is now; None if there is none."""


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
    source: Source,
    key: str,
    known: Mapping[int, str] | None = None,
) -> Verdict:
    """Look at every entry of a chain, and at its head. The chain may grow meanwhile.

    Args:
        tenant_id: whose chain it is.
        source: where entries and head are read.
        key: that heads are signed with.
        known: digests by sequence that somebody has kept outside, from earlier looks.
    """
    known = known or {}
    walk = _Walk(tenant_id=tenant_id, known=known)
    problem = walk.past(source.links(after=0, until=None))
    head = source.head()
    if not problem and head is not None and head.sequence > walk.count:
        # written since the first entries were read: entry and head come in one transaction
        problem = walk.past(source.links(after=walk.count, until=head.sequence))
    problem = problem or _problem_of_end(head, key, walk)
    first_bad = walk.count + 1 if problem else None
    return Verdict(entries=walk.count, first_bad=first_bad, problem=problem, head=head)


@dataclass(slots=True, kw_only=True)
class _Walk:
    """A walk along a chain."""

    # whose chain it is
    tenant_id: UUID
    # digests by sequence that were kept outside
    known: Mapping[int, str]
    # entries behind us, all as they were written
    count: int = 0
    # of the entry behind us
    digest: str = GENESIS

    def past(self, links: Iterable[Link]) -> str:
        """Walk past entries, and return what is wrong with the first one that is not as written."""
        for link in links:
            problem = self._problem_of(link, self.count + 1)
            if problem:
                return problem
            self.count, self.digest = self.count + 1, link.digest
        return ""

    def _problem_of(self, link: Link, sequence: int) -> str:
        body = canonical.decode(link.body)
        expected = {"tenant": str(self.tenant_id), "sequence": sequence, "previous": self.digest}
        if text_digest(link.body) != link.digest or not isinstance(body, dict):
            return f"entry {sequence} was altered"
        if any(body.get(name) != value for name, value in expected.items()):
            return f"entry {sequence} is missing, or not in its place"
        if any(body.get(name) != value for name, value in link.columns.items()):
            return f"the columns of entry {sequence} do not say what the entry says"
        if self.known.get(sequence, link.digest) != link.digest:
            return f"entry {sequence} is not the one that was known before"
        return ""


def _problem_of_end(head: Head | None, key: str, walk: _Walk) -> str:
    """Return what is wrong at the end of a chain; empty: nothing."""
    newest = max(walk.known, default=0)
    if newest > walk.count:
        return f"entries up to {newest} were known before, and there are {walk.count}"
    if head is None:
        return "the head is missing" if walk.count else ""
    signature = head_signature(
        key=key, tenant_id=walk.tenant_id, sequence=head.sequence, digest=head.digest
    )
    if not hmac.compare_digest(signature, head.signature):
        return "the head's signature is not ours"
    if (head.sequence, head.digest) != (walk.count, walk.digest):
        return f"the head says that there are {head.sequence} entries, and there are {walk.count}"
    return ""
