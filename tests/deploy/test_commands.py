"""Every command of the compose file starts as a plain process."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from dev.stack.parts import Service, Step
from dev.stack.ports import answers, free_port, listens
from dev.stack.screen import Terminal
from dev.stack.supervisor import PartFailed, Supervisor
from tests.deploy.compose import compose, plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GIVEN = {
    "HOTSWAP_SECRET_KEY": "s" * 48,
    "HOTSWAP_AUDIT_KEY": "a" * 48,
    "POSTGRES_PASSWORD": "p",
    "AUTHORITY_DIGEST": "sha256:" + "0" * 64,
    "ENROL_TOKEN_NODE_1": "hse_" + "x" * 40,
}
#: A process that gets its settings or its arguments wrong has ended by then, s.
STAYS_S = 4.0


@dataclass(slots=True)
class Machine:
    """One machine on which the services run one beside the other."""

    supervisor: Supervisor
    services: dict[str, Any]
    replaced: dict[str, str]
    environment: dict[str, str]
    ports: dict[str, int]

    def service(self, name: str, **more: Any) -> Service:
        given = {key: str(value) for key, value in self.services[name]["environment"].items()}
        return Service(
            name=name,
            command=tuple(plain(self.services[name]["command"], self.replaced)),
            environment={**given, **self.environment},
            **more,
        )


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    folder: Path = tmp_path_factory.mktemp("compose")
    ports = {name: free_port() for name in ("web", "agents", "broker")}
    services = compose(GIVEN)["services"]
    environment = {
        "DATABASE_URL": f"sqlite:///{folder}/plane.sqlite3",
        "REDIS_URL": f"redis://127.0.0.1:{ports['broker']}/0",
        "HOTSWAP_AUTHORITY_DIR": str(folder / "authority"),
        "HOTSWAP_HOME": str(folder / "home"),
    }
    replaced = {
        "--host=0.0.0.0": "--host=127.0.0.1",
        "--port=8080": f"--port={ports['web']}",
        "--port=8443": f"--port={ports['agents']}",
        "https://agent-server:8443": f"https://127.0.0.1:{ports['agents']}",
        "--name=agent-server": "--name=127.0.0.1",
        "/tmp/beat-schedule": f"{folder}/beat-schedule",  # noqa: S108 - as in the container
        "/var/lib/hotswap/agent": f"{folder}/agent",
    }
    supervisor = Supervisor(directory=folder, environment={}, screen=Terminal())
    with supervisor:
        found = Machine(supervisor, services, replaced, environment, ports)
        broker = plain(services["broker"]["command"], {})
        supervisor.start(
            [
                Service(
                    name="broker",
                    command=(*broker, "--port", str(ports["broker"]), "--dir", str(folder)),
                    ready=listens(ports["broker"]),
                ),
                Step(
                    name="migrate",
                    command=tuple(plain(services["migrate"]["command"], {})),
                    environment=found.service("migrate").environment,
                ),
            ]
        )
        web = answers(f"http://127.0.0.1:{ports['web']}/readyz")
        supervisor.start(
            [
                found.service("web", ready=web),
                found.service("agent-server", ready=listens(ports["agents"])),
                *(found.service(name) for name in ("relay", "worker", "worker-slow", "beat")),
            ]
        )
        yield found


@pytest.mark.timeout(300)
@pytest.mark.slow_processes
def test_the_planes_services_start_and_stay(machine: Machine) -> None:
    until_s = time.monotonic() + STAYS_S
    machine.supervisor.tend(until=lambda: time.monotonic() > until_s)
    assert {name: each.restarts for name, each in machine.supervisor.running.items()} == (
        dict.fromkeys(machine.supervisor.running, 0)
    )
    run_probe(machine, "web", ":8080", f":{machine.ports['web']}")
    run_probe(machine, "agent-server", ":8443", f":{machine.ports['agents']}")


def run_probe(machine: Machine, name: str, old: str, new: str) -> None:
    """Run the health check of a service that is well, and fail the test if it says otherwise."""
    _, *command = machine.services[name]["healthcheck"]["test"]
    words = [word.replace(old, new) for word in plain(command, {})]
    machine.supervisor.start([Step(name=f"probe of {name}", command=tuple(words))])


@pytest.mark.timeout(300)
@pytest.mark.slow_processes
@pytest.mark.parametrize("name", ["coordinator", "node-1", "node-2"])
def test_an_agents_command_is_understood_and_refused_for_its_made_up_credentials(
    machine: Machine, name: str
) -> None:
    service = machine.service(name)
    step = Step(
        name=f"agent {name}", command=service.command, environment=service.environment, step_s=60
    )
    with pytest.raises(PartFailed, match=r"hotswap: .*(token|authority|enrol|plane)"):
        machine.supervisor.start([step])
