"""What the core tells of a change of owner stands in its certificate, and nothing is made up."""

from datetime import UTC, datetime

import msgspec
import pytest

from hotswap.coordinator.certificates import certificate_of
from hotswap.coordinator.core.swap_record import PhaseTime, SwapRecord
from hotswap.transfer.certificate import Certificate, Phase, encode_certificate

DIGEST = "ab" * 32
NOON = datetime(2030, 1, 1, 12, 0, tzinfo=UTC)


def record(**fields: object) -> SwapRecord:
    defaults: dict[str, object] = {
        "id": "swap-1",
        "kind": "planned",
        "rank": 3,
        "from_member": "node-3",
        "to_member": "standby-0",
        "epoch_before": 1,
        "epoch_after": 2,
        "step": 17,
        "digest_before": DIGEST,
        "digest_after": DIGEST,
        "mismatched": (),
        "phases": {"pause": PhaseTime(started_s=90.0, duration_s=0.0042)},
        "leader": "coordinator-0",
        "token": 1,
        "cause": "asked for",
        "steps_lost": 0,
    }
    # a test may set any field
    return SwapRecord(**(defaults | fields))  # type: ignore[arg-type]


def certify(fields: SwapRecord) -> Certificate:
    return certificate_of(fields, job="gpt", now_s=100.0, now_utc=NOON)


def test_a_certificate_says_what_the_record_says() -> None:
    certificate = certify(record())
    assert (certificate.swap_id, certificate.job, certificate.rank) == ("swap-1", "gpt", 3)
    assert (certificate.from_member, certificate.to_member) == ("node-3", "standby-0")
    assert (certificate.epoch_before, certificate.epoch_after, certificate.step) == (1, 2, 17)
    assert (certificate.leader, certificate.token) == ("coordinator-0", 1)
    assert certificate.states_equal
    assert certificate.steps_lost == 0


def test_times_of_the_monotonic_clock_become_dates() -> None:
    assert certify(record()).phases == {
        "pause": Phase(started_at="2030-01-01T11:59:50.000000+00:00", duration_us=4200)
    }


@pytest.mark.parametrize("duration_s", [None, -0.001])
def test_what_was_not_measured_is_unknown_and_not_zero(duration_s: float | None) -> None:
    phases = {"stall": PhaseTime(started_s=None, duration_s=duration_s)}
    certificate = certify(record(phases=phases, digest_before=None, step=None, steps_lost=None))
    assert certificate.phases == {"stall": Phase(started_at=None, duration_us=None)}
    assert certificate.states_equal is None
    assert (certificate.step, certificate.steps_lost) == (None, None)
    assert certificate.samples_consumed is None


def test_a_certificate_is_read_back_as_it_was_written() -> None:
    certificate = certify(record())
    assert msgspec.json.decode(encode_certificate(certificate), type=Certificate) == certificate


def test_a_record_that_contradicts_itself_makes_no_certificate() -> None:
    with pytest.raises(ValueError, match="does not come after"):
        certify(record(epoch_after=1))
