from uuid import UUID

import pytest

from apps.core.ids import new_id
from apps.live.models import LiveSequence
from apps.live.selectors import sequence_last, sequences_last
from apps.live.services import (
    TERM_GAP,
    SequenceTaken,
    sequences_advance,
    sequences_begin_term,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> UUID:
    return new_id()


def test_numbers_begin_after_zero(tenant: UUID) -> None:
    assert sequence_last(tenant_id=tenant) == 0
    sequences_advance(before={tenant: 0}, after={tenant: 3})
    assert sequence_last(tenant_id=tenant) == 3


def test_numbers_of_tenants_are_their_own(tenant: UUID) -> None:
    other = new_id()
    sequences_advance(before={tenant: 0, other: 0}, after={tenant: 3, other: 1})
    assert sequences_last(tenant_ids=[tenant, other]) == {tenant: 3, other: 1}


def test_what_another_has_counted_is_not_counted_again(tenant: UUID) -> None:
    sequences_advance(before={tenant: 0}, after={tenant: 3})
    with pytest.raises(SequenceTaken):
        sequences_advance(before={tenant: 0}, after={tenant: 2})
    assert sequence_last(tenant_id=tenant) == 3


def test_of_several_tenants_all_are_counted_or_none(tenant: UUID) -> None:
    other = UUID(int=0)
    LiveSequence.objects.create(tenant_id=tenant, value=9)
    with pytest.raises(SequenceTaken):
        sequences_advance(before={other: 0, tenant: 0}, after={other: 1, tenant: 1})
    assert sequence_last(tenant_id=other) == 0


def test_a_term_begins_with_a_gap(tenant: UUID) -> None:
    sequences_advance(before={tenant: 0}, after={tenant: 3})
    sequences_begin_term()
    assert sequence_last(tenant_id=tenant) == 3 + TERM_GAP
