"""What agent and plane say survives the way in JSON; whatever else arrives is refused."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotswap.errors import PlaneMessageMalformed
from hotswap.wire.plane import (
    Command,
    CommandResult,
    Enrolled,
    Enrolment,
    Inventory,
    NodeReport,
    NoticeReport,
    Report,
    ReportAccepted,
    Signal,
    decode_plane,
    encode_plane,
)

AT = "2026-11-29T12:00:00+00:00"
WHOLE = (Enrolment, Enrolled, Report, ReportAccepted)


def a_report() -> Report:
    return Report(
        boot="b1",
        sequence=1,
        sent_at=AT,
        node=NodeReport(
            inventory=Inventory(hostname="n1", cpus=2),
            signals=(Signal(name="cpu_load", value=None, unit="ratio"),),
        ),
    )


def test_a_report_survives_the_way() -> None:
    assert decode_plane(encode_plane(a_report()), Report) == a_report()


def test_what_is_not_known_is_null_and_never_zero() -> None:
    node = msgspec.json.decode(encode_plane(a_report()))["node"]
    assert node["signals"][0]["value"] is None
    assert node["inventory"]["memory_nbytes"] is None
    assert node["inventory"]["devices"] is None


def test_a_field_of_a_newer_peer_is_ignored() -> None:
    body = encode_plane(a_report()).replace(b'"boot"', b'"colour":"red","boot"')
    assert decode_plane(body, Report) == a_report()


def test_a_loss_that_is_no_number_arrives_as_unknown() -> None:
    notice = NoticeReport(
        offset=0,
        at=AT,
        monotonic_s=1.0,
        leader="coordinator-0",
        token=1,
        kind="committed",
        epoch=1,
        values={"loss": float("nan")},
    )
    assert decode_plane(encode_plane(notice), NoticeReport).values == {"loss": None}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'{"boot":"b","sequence":-1,"sent_at":"x"}',
        b'{"boot":"b","sequence":1}',
        b'{"boot":"b","sequence":1,"sent_at":"\xff"}',
        b"[" * 10_000,
    ],
)
def test_anything_else_is_refused(body: bytes) -> None:
    with pytest.raises(PlaneMessageMalformed, match="this is no Report"):
        decode_plane(body, Report)


@given(body=st.binary(max_size=300))
def test_garbage_is_refused_and_never_another_error(body: bytes) -> None:
    for kind in WHOLE:
        with pytest.raises(PlaneMessageMalformed):
            decode_plane(body, kind)


def test_a_null_character_which_no_database_keeps_is_replaced() -> None:
    result = CommandResult(command="c1", state="failed", detail="a\0b")
    assert decode_plane(encode_plane(result), CommandResult).detail == "a\ufffdb"


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=50)


@given(text=TEXT, fence=st.integers(0))
def test_a_command_survives_the_way(text: str, fence: int) -> None:
    command = Command(id=text, kind="swap", fence=fence % 2**63, job=text, payload={"reason": text})
    answer = ReportAccepted(accepted_sequence=1, commands=(command,))
    assert decode_plane(encode_plane(answer), ReportAccepted) == answer
