"""The demo's agents: one process per node, all on this machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dev.stack.parts import Service

if TYPE_CHECKING:
    from dev.stack.layout import Layout

HERE: Final = Path(__file__).parent
NODES: Final = ("n1", "n2", "n3", "n4", "n5")
#: The node that gets worse.
WORSENING: Final = "n3"

#: A dozen processes on a busy machine are slow, and not lost; one that dies is noticed at once, by
#: its connections. Variables as in docs/reference/settings.md.
PATIENCE: Final = {
    "HOTSWAP_LEASE_S": "20",
    "HOTSWAP_MIRROR_ACK_S": "30",
    "HOTSWAP_LEADER_LEASE_S": "2",
}


def agent_service(layout: Layout, node: str) -> Service:
    """Return the agent of a node; it enrols with its token when it starts first."""
    state = agent_state(layout.directory, node)
    scenario = "scenario-worsening.json" if node == WORSENING else "scenario-calm.json"
    token = layout.directory / "enrol" / f"{node}.token"
    return Service(
        name=f"agent {node}",
        command=(
            *(sys.executable, "-m", "hotswap.cli", "agent"),
            *("--plane", layout.agent_url, "--name", node, "--state", str(state)),
            *("--authority", str(layout.authority_dir / "authority-certificate.pem")),
            *("--simulate", str(HERE / scenario)),
        ),
        environment={
            # used up with the first start; later ones have a certificate
            "HOTSWAP_ENROL_TOKEN": token.read_text(encoding="utf-8") if token.exists() else "",
            "HOTSWAP_HOME": str(agents_home(layout)),
            "HOTSWAP_REDIS_URL": layout.redis_url,
            **PATIENCE,
            # a rank has one core at most: there are more ranks than cores
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
        },
        ready=(state / "identity.json").exists,
    )


def agent_state(directory: Path, node: str) -> Path:
    """Return the folder of an agent's own files."""
    return directory / "agents" / node


def agents_home(layout: Layout) -> Path:
    """Return the folder below which the nodes keep jobs; it marks their processes as well."""
    return layout.directory / "home"


def worsen(directory: Path) -> None:
    """Let the simulated signals of the one node get worse."""
    (agent_state(directory, WORSENING) / "degrade").touch()
