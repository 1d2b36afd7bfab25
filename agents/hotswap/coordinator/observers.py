"""What happens to a job is told to whoever watches, written to its events, and logged."""

from collections.abc import Iterable

import structlog

from hotswap.channel.streams import message_frame
from hotswap.coordinator.event_log import EventLog
from hotswap.coordinator.peers import Peer
from hotswap.limits import Limits
from hotswap.wire.messages import Notice

_log = structlog.get_logger()

#: Kinds that come with every step: in the file of events, but not in the log.
FREQUENT = frozenset({"committed"})


def tell(
    notice: Notice,
    peers: Iterable[Peer],
    *,
    events: EventLog,
    monotonic_s: float,
    limits: Limits,
) -> None:
    """Tell every operator and supervisor among ``peers``; write it down and log it."""
    events.append(notice, monotonic_s=monotonic_s)
    if notice.kind not in FREQUENT:
        _log.info(
            notice.kind,
            epoch=notice.epoch,
            step=notice.step,
            rank=notice.rank,
            member=notice.member,
            text=notice.text,
            **notice.values,
        )
    frame = message_frame(notice, limits=limits)
    for peer in peers:
        if peer.role != "member":
            peer.send(frame)
