"""A command's payload is the struct of its kind, or is refused with a reason."""

from typing import get_args

import msgspec
import pytest

from hotswap.errors import PlaneMessageMalformed
from hotswap.wire.plane import Command, CommandKind, JobPlace, StartMember, Swap, payload_of
from hotswap.wire.plane.commands import PAYLOADS


def command(kind: str, payload: dict[str, object]) -> Command:
    return Command(id="c1", kind=kind, fence=1, job="j1", payload=payload)


def test_every_kind_has_a_payload() -> None:
    assert set(PAYLOADS) == set(get_args(CommandKind))


def test_a_payload_is_read_as_the_struct_of_its_kind() -> None:
    swap = Swap(rank=3, target_member="standby-0", reason="fan", swap="s1")
    assert payload_of(command("swap", msgspec.to_builtins(swap))) == swap


def test_what_may_be_left_out_may_be_left_out() -> None:
    start = payload_of(
        command(
            "start_member",
            {"place": {"name": "gpt"}, "member": "node-0", "world_size": 4, "script": "/gpt.py"},
        )
    )
    assert start == StartMember(
        place=JobPlace(name="gpt"), member="node-0", world_size=4, script="/gpt.py"
    )


@pytest.mark.parametrize(
    ("kind", "payload", "message"),
    [
        ("dance", {}, "knows no command 'dance'"),
        ("swap", {"rank": 1}, "payload of swap: .*`swap`"),
        ("swap", {"rank": -1, "swap": "s"}, "payload of swap: .*rank"),
        ("start_coordinator", {"place": {"name": "j", "key": "x"}}, "key"),
    ],
)
def test_a_wrong_payload_is_refused_by_name(
    kind: str, payload: dict[str, object], message: str
) -> None:
    with pytest.raises(PlaneMessageMalformed, match=message):
        payload_of(command(kind, payload))
