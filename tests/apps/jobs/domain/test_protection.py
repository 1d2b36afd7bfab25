"""Unknown and stale are never healthy."""

from datetime import timedelta

import pytest

from apps.jobs.domain.protection import STALE_AFTER, is_stale, protection_of, protection_shown
from tests.apps.jobs.domain.told import NOON


@pytest.mark.parametrize(
    ("ranks", "shown"),
    [
        (["protected", "protected"], "protected"),
        (["protected", "catching_up"], "catching_up"),
        (["catching_up", "unprotected"], "unprotected"),
        (["unknown", "protected"], "unknown"),
        # certain danger outweighs what is not known
        (["unknown", "unprotected"], "unprotected"),
        (["protected"], "unknown"),
        ([], "unknown"),
    ],
)
def test_a_job_is_as_protected_as_its_worst_rank(ranks: list[str], shown: str) -> None:
    assert protection_of(world_size=2, ranks=ranks) == shown


def test_a_job_that_was_not_heard_of_lately_is_stale() -> None:
    assert not is_stale(reported_at=NOON, now=NOON + STALE_AFTER)
    assert is_stale(reported_at=NOON, now=NOON + STALE_AFTER + timedelta(milliseconds=1))
    assert is_stale(reported_at=None, now=NOON)


@pytest.mark.parametrize(
    ("state", "age_s", "shown"),
    [("running", 1, "protected"), ("running", 60, "unknown"), ("finished", 1, "unknown")],
)
def test_what_does_not_run_or_is_stale_is_shown_as_unknown(
    state: str, age_s: float, shown: str
) -> None:
    now = NOON + timedelta(seconds=age_s)
    assert protection_shown(state=state, protection="protected", reported_at=NOON, now=now) == shown
