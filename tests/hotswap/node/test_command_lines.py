"""What a process of a job is started with."""

import sys
from pathlib import Path

from hotswap.environment import VARIABLES, MemberEnvironment
from hotswap.node.command_lines import (
    coordinator_command,
    coordinator_environment,
    trainer_command,
    trainer_environment,
)
from hotswap.node.fleet_values import Kind, Plan, Start
from hotswap.node.request import RunRequest

KEY = bytes(range(32))
JOB = Path("/jobs/gpt")
REQUEST = RunRequest(
    script=Path("train.py"),
    arguments=("--steps", "5"),
    plan=Plan(ranks=4, standbys=1, coordinators=2),
    seed=7,
    checkpoint_every_steps=50,
)
RANK_2 = Start(name="node-2", kind=Kind.RANK, slot=2)
STANDBY = Start(name="standby-3", kind=Kind.STANDBY, slot=1)


def environment(start: Start, **inherited: str) -> dict[str, str]:
    return trainer_environment(inherited=inherited, request=REQUEST, start=start, job=JOB, key=KEY)


def test_a_trainer_runs_the_script_with_its_arguments() -> None:
    command = trainer_command(REQUEST)
    assert command[0] == sys.executable
    assert command[-3:] == ("train.py", "--steps", "5")


def test_a_rank_is_told_which_one_it_is_to_own() -> None:
    member = MemberEnvironment.from_environment(environment(RANK_2))
    assert member == MemberEnvironment(
        job="gpt",
        job_directory=JOB,
        job_key=KEY,
        member="node-2",
        wanted_rank=2,
        world_size=4,
        seed=7,
        checkpoint_directory=JOB / "checkpoints",
        checkpoint_every_steps=50,
    )


def test_a_standby_in_a_ranks_place_wants_no_rank_and_gets_the_ranks_device() -> None:
    given = environment(STANDBY)
    assert "HOTSWAP_RANK" not in given
    assert given["LOCAL_RANK"] == "1"


def test_limits_pass_through_and_another_jobs_variables_do_not() -> None:
    leftover = dict.fromkeys(VARIABLES, "of another job")
    given = environment(STANDBY, HOTSWAP_LEASE_S="5", PATH="/bin", **leftover)
    assert (given["HOTSWAP_LEASE_S"], given["PATH"]) == ("5", "/bin")
    assert "of another job" not in given.values()


def test_one_thread_per_process_unless_the_user_says_otherwise() -> None:
    assert environment(RANK_2)["OMP_NUM_THREADS"] == "1"
    assert environment(RANK_2, OMP_NUM_THREADS="8")["OMP_NUM_THREADS"] == "8"


def test_the_key_stands_in_no_command_line() -> None:
    start = Start(name="coordinator-0", kind=Kind.COORDINATOR, slot=0)
    words = (*coordinator_command(REQUEST, start=start, job=JOB), *trainer_command(REQUEST))
    assert not any(KEY.hex() in word for word in words)
    assert coordinator_environment(inherited={}, key=KEY)["HOTSWAP_JOB_KEY"] == KEY.hex()
