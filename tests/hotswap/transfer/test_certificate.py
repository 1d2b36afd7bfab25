"""Tests of hotswap.transfer.certificate."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hotswap.errors import CertificateConflict
from hotswap.transfer import certificate as module
from hotswap.transfer.certificate import (
    PAUSE,
    STALL,
    Certificate,
    Phase,
    encode_certificate,
    render_line,
    write_certificate,
)

BEFORE = "1f3c" + "0" * 60
OTHER = "9a0b" + "0" * 60
STARTED_AT = "2026-05-04T10:11:12.345678+00:00"


def certificate(**changes: object) -> Certificate:
    arguments: dict[str, Any] = {
        "swap_id": "swap-7",
        "job": "gpt",
        "rank": 3,
        "kind": "planned",
        "cause": "operator: ECC errors rising",
        "from_member": "node-3",
        "to_member": "standby-0",
        "epoch_before": 4,
        "epoch_after": 5,
        "step": 1204,
        "digest_before": BEFORE,
        "digest_after": BEFORE,
        "mismatches": (),
        "steps_lost": 0,
        "samples_consumed": 9632,
        "samples_digest": OTHER,
        "phases": {PAUSE: Phase(started_at=STARTED_AT, duration_us=8_140)},
        "leader": "coordinator-1",
        "token": 12,
    }
    return Certificate(**{**arguments, **changes})


def unknown() -> dict[str, object]:
    """Return what a certificate of an unplanned swap may not know."""
    names = (
        "from_member to_member step digest_before digest_after mismatches steps_lost "
        "samples_consumed samples_digest leader token"
    )
    return {**dict.fromkeys(names.split()), "phases": {}}


def test_the_line_of_a_planned_swap() -> None:
    assert render_line(certificate()) == (
        "step 1204 · rank 3 · node-3 → standby-0 · planned · pause 8.1 ms · "
        "state digests equal (blake3 1f3c…)"
    )


def test_the_line_of_an_unplanned_swap_says_what_was_lost() -> None:
    phases = {STALL: Phase(started_at=None, duration_us=190_000)}
    assert render_line(certificate(kind="unplanned", phases=phases)) == (
        "step 1204 · rank 3 · node-3 → standby-0 · unplanned · stall 190.0 ms · steps lost 0 · "
        "state digests equal (blake3 1f3c…)"
    )


def test_what_is_unknown_is_shown_as_unknown_and_never_as_zero() -> None:
    line = render_line(certificate(kind="unplanned", **unknown()))
    assert line == (
        "step unknown · rank 3 · unknown → unknown · unplanned · stall unknown · "
        "steps lost unknown · state digests unknown"
    )
    assert "0" not in line


def test_a_planned_swap_that_lost_steps_or_does_not_know_says_so() -> None:
    assert "steps lost 2" in render_line(certificate(steps_lost=2))
    assert "steps lost unknown" in render_line(certificate(steps_lost=None))


@pytest.mark.parametrize("phase", [{}, {PAUSE: Phase(started_at=STARTED_AT, duration_us=None)}])
def test_a_pause_that_was_not_measured_is_unknown(phase: dict[str, Phase]) -> None:
    assert "pause unknown" in render_line(certificate(phases=phase))


def test_a_pause_of_nothing_is_zero_and_not_unknown() -> None:
    phases = {PAUSE: Phase(started_at=None, duration_us=0)}
    assert "pause 0.0 ms" in render_line(certificate(phases=phases))


def test_tensors_that_differ_are_named() -> None:
    line = render_line(certificate(digest_after=OTHER, mismatches=("a", "b", "c", "d", "e")))
    assert line.endswith("state digests DIFFER (blake3 1f3c… → 9a0b…): a, b, c and 2 more")


def test_a_difference_without_names_is_still_a_difference() -> None:
    line = render_line(certificate(digest_after=OTHER, mismatches=None))
    assert line.endswith("DIFFER (blake3 1f3c… → 9a0b…): tensors unknown")


def test_named_tensors_count_as_a_difference_without_root_digests() -> None:
    line = render_line(certificate(digest_before=None, mismatches=("a",)))
    assert line.endswith("DIFFER (blake3 unknown → 1f3c…): a")


def test_the_states_are_equal_only_when_both_digests_are_known() -> None:
    assert certificate().states_equal is True
    assert certificate(digest_after=OTHER).states_equal is False
    assert certificate(digest_before=None, digest_after=None).states_equal is None


def test_the_encoding_is_canonical_and_says_that_it_is_not_signed() -> None:
    encoded = encode_certificate(certificate())

    def refuse(text: str) -> None:
        pytest.fail(f"floating-point number {text} in a certificate")

    loaded = json.loads(encoded, parse_float=refuse)
    assert json.dumps(loaded, sort_keys=True, separators=(",", ":")).encode() == encoded
    assert loaded["signature"] is None
    assert msgspec.json.decode(encoded, type=Certificate) == certificate()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"epoch_after": 4}, "does not come after"),
        ({"mismatches": ("a",)}, "equal root digests"),
        ({"swap_id": "../../etc/cron.d/x"}, "swap id"),
        ({"swap_id": ""}, "swap id"),
    ],
)
def test_a_certificate_that_contradicts_itself_is_refused(
    changes: dict[str, object], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        certificate(**changes)


@pytest.mark.parametrize("instant", ["2026-05-04T10:11:12", "yesterday"])
def test_an_instant_without_an_offset_is_refused(instant: str) -> None:
    with pytest.raises(ValueError, match=instant):
        Phase(started_at=instant, duration_us=1)


def test_a_certificate_is_written_whole(tmp_path: Path) -> None:
    path = write_certificate(tmp_path / "certificates", certificate())
    assert path.read_bytes() == encode_certificate(certificate())
    assert [entry.name for entry in path.parent.iterdir()] == ["swap-swap-7.json"]


def test_writing_the_same_certificate_again_changes_nothing(tmp_path: Path) -> None:
    path = write_certificate(tmp_path, certificate())
    before = path.stat().st_mtime_ns
    assert write_certificate(tmp_path, certificate()) == path
    assert path.stat().st_mtime_ns == before


def test_a_certificate_is_never_replaced_by_another(tmp_path: Path) -> None:
    path = write_certificate(tmp_path, certificate())
    with pytest.raises(CertificateConflict, match="another certificate"):
        write_certificate(tmp_path, certificate(steps_lost=3))
    assert path.read_bytes() == encode_certificate(certificate())


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_path: Path, _chunks: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write_atomically", full)
    with pytest.raises(OSError, match="No space left"):
        write_certificate(tmp_path, certificate())
    assert list(tmp_path.iterdir()) == []
