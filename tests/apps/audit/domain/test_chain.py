"""A chain that grows while it is looked at is whole."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

from apps.audit.domain.chain import (
    GENESIS,
    Head,
    Link,
    chain_verify,
    entry_body,
    head_signature,
    text_digest,
)
from apps.core import canonical
from apps.core.access import SYSTEM

TENANT = UUID(int=1)
KEY = "k" * 32


@dataclass
class Growing:
    """A chain that gets entries between the look at its entries and the look at its head."""

    links_: list[Link] = field(default_factory=list)
    meanwhile: int = 0

    def append(self) -> None:
        body = entry_body(
            tenant_id=TENANT,
            sequence=len(self.links_) + 1,
            previous=self.links_[-1].digest if self.links_ else GENESIS,
            at=datetime(2026, 1, 1, tzinfo=UTC),
            actor=SYSTEM,
            action="a.b",
            subject="c:1",
            detail={},
        )
        text = canonical.encode(body).decode()
        self.links_.append(Link(columns={"action": "a.b"}, body=text, digest=text_digest(text)))

    def links(self, *, after: int, until: int | None) -> Iterator[Link]:
        yield from self.links_[after:until]

    def head(self) -> Head | None:
        for _ in range(self.meanwhile):
            self.append()
        if not self.links_:
            return None
        sequence, digest = len(self.links_), self.links_[-1].digest
        return Head(
            sequence=sequence,
            digest=digest,
            signature=head_signature(key=KEY, tenant_id=TENANT, sequence=sequence, digest=digest),
        )


def chain(count: int, *, meanwhile: int = 0) -> Growing:
    growing = Growing(meanwhile=meanwhile)
    for _ in range(count):
        growing.append()
    return growing


def test_entries_that_are_written_meanwhile_are_looked_at_too() -> None:
    verdict = chain_verify(tenant_id=TENANT, source=chain(3, meanwhile=2), key=KEY)
    assert (verdict.ok, verdict.entries) == (True, 5)


def test_a_chain_that_begins_meanwhile_is_whole() -> None:
    verdict = chain_verify(tenant_id=TENANT, source=chain(0, meanwhile=1), key=KEY)
    assert (verdict.ok, verdict.entries) == (True, 1)


def test_another_tenants_chain_is_not_taken_for_ones_own() -> None:
    verdict = chain_verify(tenant_id=UUID(int=2), source=chain(3), key=KEY)
    assert verdict.first_bad == 1


def test_another_key_is_found_at_the_head() -> None:
    verdict = chain_verify(tenant_id=TENANT, source=chain(3), key="other" * 8)
    assert verdict.problem == "the head's signature is not ours"


def test_text_that_is_no_json_is_an_altered_entry() -> None:
    broken = chain(2)
    broken.links_[1] = Link(columns={}, body="{", digest=text_digest("{"))
    verdict = chain_verify(tenant_id=TENANT, source=broken, key=KEY)
    assert verdict.problem == "entry 2 was altered"
