from datetime import timedelta

from apps.webhooks.domain.retries import ATTEMPTS_MAX, FIRST_WAIT, WAIT_MAX, wait_after


def test_waits_double_up_to_a_limit() -> None:
    waits = [wait_after(attempts) for attempts in range(1, ATTEMPTS_MAX)]
    assert waits[:3] == [FIRST_WAIT, 2 * FIRST_WAIT, 4 * FIRST_WAIT]
    assert waits[-1] == WAIT_MAX


def test_after_the_last_attempt_it_is_given_up() -> None:
    assert wait_after(ATTEMPTS_MAX) is None


def test_all_attempts_span_half_a_day() -> None:
    spans = [wait_after(attempts) or timedelta() for attempts in range(1, ATTEMPTS_MAX)]
    assert timedelta(hours=8) < sum(spans, timedelta()) < timedelta(hours=16)
