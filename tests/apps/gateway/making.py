"""Reports of agents, and a gateway without sockets and threads, for tests."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.fleet.models import Node
from apps.gateway.intake import Delivery
from hotswap.wire import plane
from tests.apps.jobs.making import NOW

NODE = plane.NodeReport(
    inventory=plane.Inventory(hostname="n1", platform="Linux", version="1.0"),
    signals=(plane.Signal(name="cpu_load", value=0.5, unit="ratio"),),
)


def report(sequence: int = 1, *, at: datetime = NOW, **fields: Any) -> plane.Report:
    values = {"boot": "b1", "sequence": sequence, "sent_at": at.isoformat(), "members": ()}
    return plane.Report(**{**values, **fields})


def question(**fields: Any) -> plane.Report:
    return report(0, **{"members": None, **fields})


def delivery(of: Node, what: plane.Report) -> Delivery:
    assert of.agent is not None
    return Delivery(fingerprint=of.agent.fingerprint, report=what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the ASGI application has answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)
