"""The launcher's variables reach a trainer unchanged, or are refused by name."""

from pathlib import Path

import pytest

from hotswap.environment import VARIABLES, MemberEnvironment
from hotswap.errors import EnvironmentInvalid

KEY = bytes(range(32))


def member(**changes: object) -> MemberEnvironment:
    values: dict[str, object] = {
        "job": "gpt-1",
        "job_directory": Path("/jobs/gpt-1"),
        "job_key": KEY,
        "member": "node-2",
        "wanted_rank": 2,
        "world_size": 4,
        "host": "127.0.0.1",
        "seed": 7,
        "checkpoint_directory": Path("/jobs/gpt-1/checkpoints"),
        "checkpoint_every_steps": 50,
    }
    return MemberEnvironment(**(values | changes))  # type: ignore[arg-type]  # wrong values are the point


@pytest.mark.parametrize(
    "written",
    [
        member(),
        member(member="standby-0", wanted_rank=None),
        member(seed=None, checkpoint_every_steps=None),
        member(wanted_rank=0, seed=0),
    ],
)
def test_what_the_launcher_writes_is_what_the_runtime_reads(written: MemberEnvironment) -> None:
    variables = written.to_environment()
    assert set(variables) <= set(VARIABLES)
    assert MemberEnvironment.from_environment(variables) == written


def test_a_process_without_the_variables_is_not_part_of_a_job() -> None:
    assert MemberEnvironment.from_environment({"PATH": "/bin", "RANK": "0"}) is None


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("HOTSWAP_RANK", "4"),
        ("HOTSWAP_RANK", "-1"),
        ("HOTSWAP_RANK", "two"),
        ("HOTSWAP_WORLD_SIZE", "0"),
        ("HOTSWAP_WORLD_SIZE", ""),
        ("HOTSWAP_MEMBER", ""),
        ("HOTSWAP_JOB_KEY", "00ff"),
        ("HOTSWAP_CHECKPOINT_EVERY_STEPS", "0"),
    ],
)
def test_a_bad_value_is_refused_by_the_name_of_its_variable(variable: str, value: str) -> None:
    variables = member().to_environment() | {variable: value}
    with pytest.raises(EnvironmentInvalid, match=variable):
        MemberEnvironment.from_environment(variables)


def test_the_key_shows_up_neither_in_the_repr_nor_in_an_error() -> None:
    assert KEY.hex() not in repr(member())
    assert "\\x01\\x02" not in repr(member())
    unreadable = "not-hexadecimal-but-secret"
    with pytest.raises(EnvironmentInvalid) as caught:
        MemberEnvironment.from_environment(
            member().to_environment() | {"HOTSWAP_JOB_KEY": unreadable}
        )
    assert unreadable not in str(caught.value)
