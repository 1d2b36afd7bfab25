"""A certificate is checked again by whoever reads it, and what is unknown proves nothing."""

from pathlib import Path

import msgspec
import pytest

from hotswap.errors import EvidenceUnreadable
from hotswap.node.evidence import (
    CERTIFICATE_NBYTES_MAX,
    check_certificate,
    check_sequence,
    read_certificate,
)
from hotswap.transfer.certificate import Certificate, encode_certificate, write_certificate

BEFORE = Certificate(
    swap_id="swap-1",
    job="gpt-1",
    rank=3,
    kind="planned",
    cause="asked for by an operator",
    from_member="node-3",
    to_member="standby-0",
    epoch_before=1,
    epoch_after=2,
    step=57,
    digest_before="ab" * 32,
    digest_after="ab" * 32,
    mismatches=(),
    steps_lost=0,
    samples_consumed=456,
    samples_digest=None,
    phases={},
    leader="coordinator-0",
    token=1,
)


def changed(**changes: object) -> Certificate:
    return msgspec.structs.replace(BEFORE, **changes)


def verdicts(certificate: Certificate, encoded: bytes | None = None) -> dict[str, str]:
    checks = check_certificate(certificate, encoded or encode_certificate(certificate))
    return {check.question: check.verdict for check in checks}


def test_a_certificate_as_written_passes_every_check_but_the_signature(tmp_path: Path) -> None:
    certificate, encoded = read_certificate(write_certificate(tmp_path, BEFORE))
    assert certificate == BEFORE
    assert verdicts(certificate, encoded) == {
        "written by hotswap and not edited since": "ok",
        "same state before and after": "ok",
        "no committed step lost": "ok",
        "signed": "unknown",
    }


def test_what_was_not_measured_is_unknown_and_not_passed() -> None:
    unknown = verdicts(changed(digest_before=None, steps_lost=None, mismatches=None))
    assert unknown["same state before and after"] == "unknown"
    assert unknown["no committed step lost"] == "unknown"


@pytest.mark.parametrize(
    ("changes", "question"),
    [
        ({"digest_after": "cd" * 32}, "same state before and after"),
        ({"digest_after": "cd" * 32, "mismatches": ("w",)}, "same state before and after"),
        ({"steps_lost": 12}, "no committed step lost"),
    ],
)
def test_a_fault_fails_its_check(changes: dict[str, object], question: str) -> None:
    found = verdicts(changed(**changes))
    assert [asked for asked, verdict in found.items() if verdict == "failed"] == [question]


def test_a_tensor_that_differs_is_named() -> None:
    certificate = changed(digest_after="cd" * 32, mismatches=("layer.1.weight",))
    checks = check_certificate(certificate, encode_certificate(certificate))
    assert any("layer.1.weight" in check.detail for check in checks)


def test_an_edited_certificate_is_noticed_even_if_it_reads_well() -> None:
    pretty = msgspec.json.format(encode_certificate(BEFORE))
    assert verdicts(BEFORE, pretty)["written by hotswap and not edited since"] == "failed"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"not json",
        encode_certificate(BEFORE).replace(b'"rank":3', b'"rank":-3'),
        encode_certificate(BEFORE).replace(b'"epoch_after":2', b'"epoch_after":1'),
        b" " * (CERTIFICATE_NBYTES_MAX + 1),
    ],
)
def test_a_file_that_is_no_certificate_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "swap-1.json"
    path.write_bytes(content)
    with pytest.raises(EvidenceUnreadable, match=r"swap-1\.json"):
        read_certificate(path)


def test_a_missing_certificate_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(EvidenceUnreadable, match=r"cannot read .*swap-2\.json"):
        read_certificate(tmp_path / "swap-2.json")


NEXT = changed(
    swap_id="swap-2", from_member="standby-0", to_member="standby-1", epoch_before=4, epoch_after=5
)


@pytest.mark.parametrize(
    ("second", "verdict"),
    [
        (NEXT, "ok"),
        (msgspec.structs.replace(NEXT, from_member=None), "ok"),
        (msgspec.structs.replace(NEXT, from_member="node-3"), "failed"),
        (msgspec.structs.replace(NEXT, epoch_before=1, epoch_after=3), "failed"),
        (msgspec.structs.replace(NEXT, rank=0, from_member="node-0"), "ok"),
    ],
)
@pytest.mark.parametrize("turn", [1, -1])
def test_ownership_of_a_rank_is_a_chain(second: Certificate, verdict: str, turn: int) -> None:
    (check,) = check_sequence([BEFORE, second][::turn])
    assert check.verdict == verdict
