"""Which commands are carried out: the newest decision about a job counts, and only in time."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from hotswap.node.agent.admission import Admitted, Declined, admit
from hotswap.wire.plane import Command, Swap

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
SWAP = msgspec.to_builtins(Swap(rank=1, swap="s1"))


def command(**fields: object) -> Command:
    values = {"id": "c1", "kind": "swap", "fence": 5, "job": "j1", "payload": SWAP, **fields}
    return msgspec.convert(values, Command)


def declined(command: Command, *, highest_fence: int = 0) -> tuple[str, object]:
    decision = admit(command, highest_fence=highest_fence, now=NOW)
    assert isinstance(decision, Declined)
    assert decision.result.command == command.id
    assert decision.result.detail
    return decision.result.state, decision.result.values.get("code")


def test_a_command_of_the_newest_decision_is_carried_out() -> None:
    for fence in (5, 6):
        decision = admit(command(fence=fence), highest_fence=5, now=NOW)
        assert decision == Admitted(payload=Swap(rank=1, swap="s1"))


def test_one_that_was_decided_before_a_later_one_is_refused() -> None:
    assert declined(command(fence=4), highest_fence=5) == ("refused", "fenced")


def test_one_whose_deadline_has_passed_has_expired() -> None:
    assert declined(command(deadline=NOW.isoformat())) == ("expired", None)
    later = (NOW + timedelta(seconds=1)).isoformat()
    assert isinstance(admit(command(deadline=later), highest_fence=0, now=NOW), Admitted)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"kind": "dance"}, "plane_message_malformed"),
        ({"payload": {}}, "plane_message_malformed"),
        ({"job": "../j1"}, "malformed"),
        ({"job": None}, "malformed"),
        ({"deadline": "soon"}, "malformed"),
        ({"deadline": "2026-11-29T12:00:00"}, "malformed"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(fields: dict[str, object], code: str) -> None:
    assert declined(command(**fields)) == ("refused", code)


def test_a_quarantine_is_about_the_node_and_needs_no_job() -> None:
    quarantine = command(kind="quarantine", job=None, payload={"reason": "hot"})
    assert isinstance(admit(quarantine, highest_fence=0, now=NOW), Admitted)
