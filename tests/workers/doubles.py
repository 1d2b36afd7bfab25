"""Doubles of what workers talk to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workers.outlets import Delta
    from workers.sending import Outcome


@dataclass(slots=True)
class HeldLease:
    """A lease that is held while the test says so."""

    held: bool = True

    def hold(self) -> bool:
        return self.held

    def release(self) -> None:
        self.held = False


@dataclass(slots=True)
class Recorder:
    """Outlets that remember what was sent, and fail when told to."""

    deltas: list[Delta] = field(default_factory=list)
    wakes: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    # raised once, after the deltas have gone out
    failure: Exception | None = None

    def live(self, deltas: Iterable[Delta]) -> None:
        self.deltas += deltas
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure

    def wake(self, *, kind: str, payload: Mapping[str, Any]) -> None:
        self.wakes.append((kind, dict(payload)))


@dataclass(slots=True)
class Receiver:
    """A receiver of webhooks that answers as told."""

    outcomes: list[Outcome]
    got: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    def send(self, *, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        self.got.append((url, dict(headers), body))
        return self.outcomes.pop(0)
