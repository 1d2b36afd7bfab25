"""What one agent is told when it is started."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: Variable that holds the one-time token, which others can see on a command line.
ENROL_VARIABLE: Final = "HOTSWAP_ENROL_TOKEN"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """How one agent runs."""

    # address of the plane's port for agents, https; None: as at the enrolment
    plane: str | None = None
    # one-time token; None: it is enrolled already
    token: str | None = None
    # name of the node; None: as at the enrolment
    node: str | None = None
    # directory of the agent's own files
    state: Path
    # file with the authority's certificate in PEM
    authority: Path | None = None
    # SHA-256 of the authority's certificate, "sha256:HEX", where there is no file
    authority_digest: str | None = None
    # scenario of simulated signals
    scenario: Path | None = None
