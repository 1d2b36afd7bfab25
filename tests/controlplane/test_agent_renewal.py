"""A real agent and the real port of the agents, with certificates that are renewed all the time."""

import os
import random
import sqlite3
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from apps.accounts.authority import CERTIFICATE_FILE
from dev.stack.ports import free_port
from dev.stack.waiting import wait_until
from hotswap.node.agent.credentials import authority_digest
from hotswap.wire.plane import REPORT_PATH, Report, encode_plane
from tests.tidy.tree import ROOT

# five processes start one after the other, each of which imports much
pytestmark = [pytest.mark.slow_processes, pytest.mark.timeout(600)]

SET_UP = """
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("tenant_add", "aurora", "Aurora")
for _ in range(2):
    call_command("agent_token", "n1", tenant="aurora")
"""
WAIT_S = 90.0
QUESTION = encode_plane(Report(boot="b", sequence=0, sent_at="2026-03-01T00:00:00+00:00"))


class Plane:
    """A plane whose certificates are valid for minutes, and the agent of a node."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        self.authority = folder / "authority" / CERTIFICATE_FILE
        self.log = folder / "agent.log"
        self.url = f"https://127.0.0.1:{free_port()}"
        self.tokens: list[str] = []
        self.started: list[subprocess.Popen[bytes]] = []
        self.environment = {
            **os.environ,
            "PYTHONPATH": f"{ROOT}:{ROOT / 'agents'}",
            "DJANGO_SETTINGS_MODULE": "controlplane.settings",
            "HOTSWAP_DEVELOPMENT": "1",
            "HOTSWAP_HOME": str(folder),
            "DATABASE_URL": f"sqlite:///{folder}/plane.sqlite3",
            "REDIS_URL": "",
            "HOTSWAP_AUTHORITY_DIR": str(self.authority.parent),
            # ten minutes: far more than this takes
            "HOTSWAP_ENROLMENT_VALID_DAYS": "0.007",
        }

    def set_up(self) -> list[str]:
        """Make the database; return two tokens for the node."""
        done = subprocess.run(
            [sys.executable, "-c", SET_UP],
            check=True,
            cwd=ROOT,
            env=self.environment,
            timeout=WAIT_S,
            stdout=subprocess.PIPE,
            text=True,
        )
        return done.stdout.split()[-2:]

    def start(self, *command: str, **variables: str) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, *command],
                cwd=ROOT,
                env={**self.environment, **variables},
                stdout=log,
                stderr=log,
            )
        self.started.append(process)
        return process

    def agent(self, *options: str) -> subprocess.Popen[bytes]:
        """Start the agent, which renews again and again."""
        return self.start(
            *("-m", "hotswap.cli", "agent", "--state", str(self.state), *options),
            HOTSWAP_AGENT_RENEW_SHARE="0.001",
            HOTSWAP_AGENT_RENEW_JITTER_SHARE="0.001",
            HOTSWAP_AGENT_RENEW_RETRY_S="0.05",
            HOTSWAP_AGENT_RENEW_RETRY_S_MAX="0.2",
        )

    def ask(self, question: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.folder / "plane.sqlite3", timeout=WAIT_S)) as database:
            found = database.execute(question).fetchall()
            database.commit()
            return found

    def adopted(self) -> int:
        """How often a next certificate has been used."""
        counted = "SELECT count(*) FROM audit_auditentry WHERE action = 'agent.certificate_adopt'"
        return int(str(self.ask(counted)[0][0]))

    def renews(self, times: int) -> None:
        """Wait until so many more certificates have been used."""
        goal = self.adopted() + times
        wait_until(lambda: self.adopted() >= goal, f"{times} renewals", wait_s=WAIT_S)

    def answers(self, credential: Path) -> int:
        """Ask for commands with a credential; return the status."""
        context = ssl.create_default_context(cafile=str(self.authority))
        context.load_cert_chain(credential)
        with httpx.Client(verify=context, trust_env=False, timeout=WAIT_S) as client:
            return client.post(self.url + REPORT_PATH, content=QUESTION).status_code


@pytest.fixture(name="plane")
def _plane(tmp_path: Path) -> Iterator[Plane]:
    plane = Plane(tmp_path)
    plane.tokens = plane.set_up()
    port = plane.url.rpartition(":")[2]
    plane.start("-m", "controlplane.agent_server", "--port", port)
    try:
        wait_until(plane.authority.exists, "the authority", wait_s=WAIT_S)
        yield plane
    finally:
        for process in reversed(plane.started):
            process.kill()
            process.wait(WAIT_S)
        print(plane.log.read_text()[-8000:])


def test_an_agent_that_is_killed_again_and_again_renews_and_is_always_let_in(plane: Plane) -> None:
    first_token, second_token = plane.tokens
    digest = authority_digest(plane.authority.read_text())
    wait_until(lambda: _listens(plane.url), "the agents' port", wait_s=WAIT_S)
    agent = plane.agent(
        *(
            "--plane",
            plane.url,
            "--name",
            "n1",
            "--token",
            first_token,
            "--authority-digest",
            digest,
        )
    )
    credential = plane.state / "credential.pem"
    wait_until((plane.state / "identity.json").exists, "the enrolment", wait_s=WAIT_S)
    first = plane.folder / "first.pem"
    first.write_bytes(credential.read_bytes())
    plane.renews(3)
    assert plane.answers(first) == 403
    moments = random.Random(7)
    for _ in range(3):
        plane.renews(moments.randint(0, 3))
        agent.kill()
        agent.wait(WAIT_S)
        assert plane.answers(credential) == 200
        agent = plane.agent()
        plane.renews(1)
    revoked = plane.ask("UPDATE accounts_agent SET revoked_at = '2026-03-01' RETURNING id")
    wait_until(lambda: "get a new token" in plane.log.read_text(), "what to do", wait_s=WAIT_S)
    agent.kill()
    agent.wait(WAIT_S)
    assert plane.answers(credential) == 403
    plane.agent("--token", second_token)
    plane.renews(1)
    assert len(plane.ask("SELECT id FROM accounts_agent")) == len(revoked) + 1


def _listens(url: str) -> bool:
    try:
        httpx.get(f"{url}/healthz", verify=False, trust_env=False, timeout=WAIT_S)  # noqa: S501 - whether it answers
    except httpx.TransportError:
        return False
    return True
