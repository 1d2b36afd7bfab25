"""The parts of a control plane on one machine: the processes of production, each once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dev.stack.parts import Service, Step
from dev.stack.ports import LOOPBACK, answers, listens
from dev.stack.postgres import postgres_parts
from dev.stack.valkey import valkey_command

if TYPE_CHECKING:
    from dev.stack.layout import Layout
    from dev.stack.parts import Part

ROOT: Final = Path(__file__).parents[2]
MANAGE: Final = (sys.executable, str(ROOT / "manage.py"))
CELERY: Final = (sys.executable, "-m", "celery", "--app", "controlplane.celery", "--quiet")
#: Processes of the Celery worker: one may wait for a webhook's receiver.
WORKER_PROCESSES: Final = 2
#: Requests that are under way when the web process is asked to end get so long, s.
WEB_STOP_S: Final = 3


def store_parts(layout: Layout) -> list[Part]:
    """Return broker and database, with its tables."""
    folder = layout.directory / "valkey"
    folder.mkdir(parents=True, exist_ok=True)
    postgres = layout.postgres_port
    return [
        Service(
            name="broker",
            command=valkey_command(port=layout.valkey_port, folder=folder, keep=True),
            ready=listens(layout.valkey_port),
        ),
        *(postgres_parts(directory=layout.directory, port=postgres) if postgres else []),
        Step(
            name="migrate",
            command=(*MANAGE, "migrate", "--no-input"),
            environment=layout.environment(),
        ),
    ]


def plane_parts(layout: Layout) -> list[Part]:
    """Return the processes of the control plane; broker and database run already."""
    return [
        _service(layout, "web", web_command(layout.web_port), url=f"{layout.web_url}/readyz"),
        Service(
            name="agents' port",
            command=agent_server_command(layout.agent_port),
            environment=layout.environment(),
            ready=listens(layout.agent_port),
        ),
        _service(layout, "relay", (sys.executable, "-m", "workers", "relay")),
        _service(layout, "worker", worker_command()),
        _service(layout, "beat", beat_command(layout.directory)),
    ]


def web_command(port: int) -> tuple[str, ...]:
    """Return the web process for browsers and programs."""
    return (
        *(sys.executable, "-m", "uvicorn", "controlplane.asgi:application"),
        *("--host", LOOPBACK, "--port", str(port), "--lifespan", "off", "--no-access-log"),
        *("--log-level", "warning", "--timeout-graceful-shutdown", str(WEB_STOP_S)),
        # no TLS ends here, which is what uvloop is for
        *("--loop", "asyncio"),
    )


def agent_server_command(port: int) -> tuple[str, ...]:
    """Return the process that agents talk to."""
    words = (sys.executable, "-m", "controlplane.agent_server")
    return (*words, "--host", LOOPBACK, "--port", str(port))


def worker_command() -> tuple[str, ...]:
    """Return the Celery worker for both queues."""
    return (
        *(*CELERY, "worker", "--queues", "prompt,slow", "--loglevel", "warning"),
        *("--concurrency", str(WORKER_PROCESSES), "--without-gossip", "--without-mingle"),
    )


def beat_command(directory: Path) -> tuple[str, ...]:
    """Return Celery's clock, which says when workers are to look."""
    schedule = directory / "beat-schedule"
    return (
        *(*CELERY, "beat", "--loglevel", "warning", "--schedule", str(schedule)),
        *("--pidfile", ""),
    )


def _service(
    layout: Layout, name: str, command: tuple[str, ...], *, url: str | None = None
) -> Service:
    return Service(
        name=name,
        command=command,
        environment=layout.environment(),
        ready=answers(url) if url else None,
    )
