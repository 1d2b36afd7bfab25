"""What a process is given: who it is, what the plane adds, and nothing of the agent's own."""

from dataclasses import replace
from pathlib import Path

import msgspec

from hotswap.environment import MemberEnvironment
from hotswap.node.agent.launches import coordinator_launch, member_launch
from hotswap.node.job_directory import JobDirectory
from hotswap.wire.plane import Command, JobPlace, StartCoordinator, StartMember

KEY = b"k" * 32
PLACE = JobPlace(name="gpt")
DIRECTORY = JobDirectory(path=Path("/jobs/gpt"))
INHERITED = {
    "PATH": "/bin",
    "HOTSWAP_LEASE_S": "3",
    "HOTSWAP_AGENT_RETRY_S": "1",
    "HOTSWAP_ENROL_TOKEN": "secret",
    "HOTSWAP_JOB_KEY": "of another job",
    "HOTSWAP_REDIS_URL": "redis://here",
}
MEMBER = StartMember(
    place=PLACE,
    member="node-7",
    rank=3,
    world_size=4,
    script="/scripts/gpt.py",
    arguments=("--steps", "9"),
    environment={"LEARNING_RATE": "1", "HOTSWAP_MEMBER": "somebody else"},
    slot=1,
    host="10.0.0.7",
    seed=5,
    checkpoint_every_steps=50,
)


def command(kind: str, payload: msgspec.Struct) -> Command:
    built = msgspec.to_builtins(payload)
    return Command(id="c1", kind=kind, fence=1, job="job-1", payload=built)


def environment_of(wanted: StartMember) -> dict[str, str]:
    launch = member_launch(
        command("start_member", wanted),
        wanted,
        directory=DIRECTORY,
        key=KEY,
        inherited=INHERITED,
    )
    assert (launch.job, launch.command_id, launch.logs) == ("job-1", "c1", DIRECTORY.logs)
    return dict(launch.environment)


def test_a_rank_knows_who_it_is_wherever_its_slot_is() -> None:
    environment = environment_of(MEMBER)
    assert MemberEnvironment.from_environment(environment) == MemberEnvironment(
        job="gpt",
        job_directory=DIRECTORY.path,
        job_key=KEY,
        member="node-7",
        wanted_rank=3,
        world_size=4,
        host="10.0.0.7",
        seed=5,
        checkpoint_directory=DIRECTORY.checkpoints,
        checkpoint_every_steps=50,
    )
    assert environment["LOCAL_RANK"] == "1"
    assert environment["LEARNING_RATE"] == "1"


def test_a_standby_has_no_rank() -> None:
    standby = msgspec.structs.replace(MEMBER, rank=None)
    member = MemberEnvironment.from_environment(environment_of(standby))
    owner = MemberEnvironment.from_environment(environment_of(MEMBER))
    assert owner is not None
    assert member == replace(owner, wanted_rank=None)


def test_what_is_the_agents_alone_is_not_passed_on() -> None:
    environment = environment_of(MEMBER)
    assert "HOTSWAP_AGENT_RETRY_S" not in environment
    assert "HOTSWAP_ENROL_TOKEN" not in environment
    assert environment["HOTSWAP_LEASE_S"] == "3"


def test_a_coordinator_is_given_the_key_and_the_server_and_no_rank() -> None:
    wanted = StartCoordinator(
        place=PLACE, member="coordinator-0", world_size=4, host="10.0.0.7", environment={"A": "b"}
    )
    launch = coordinator_launch(
        command("start_coordinator", wanted),
        wanted,
        directory=DIRECTORY,
        key=KEY,
        inherited=INHERITED,
    )
    assert launch.role == "coordinator"
    assert launch.command[1:] == (
        *("-m", "hotswap.coordinator.server", "--job-directory", "/jobs/gpt"),
        *("--name", "coordinator-0", "--world-size", "4", "--host", "10.0.0.7"),
    )
    environment = dict(launch.environment)
    assert environment["HOTSWAP_JOB_KEY"] == KEY.hex()
    assert environment["HOTSWAP_REDIS_URL"] == "redis://here"
    assert environment["A"] == "b"
    assert "HOTSWAP_ENROL_TOKEN" not in environment
