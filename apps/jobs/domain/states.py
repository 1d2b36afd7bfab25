"""Where a job, a member and a command can stand, and what leads from one to the next."""

from typing import Final

from apps.core.transitions import Table, Transition

#: A job, from the wish to its end. Its progress is no state: epochs and steps are counted.
JOB: Final = Table(
    states=("submitted", "starting", "running", "finished", "failed", "stopped"),
    initial=("submitted", "running"),
    transitions=(
        Transition(action="place", sources=("submitted",), target="starting"),
        Transition(action="run", sources=("submitted", "starting"), target="running"),
        Transition(action="finish", sources=("starting", "running"), target="finished"),
        Transition(action="fail", sources=("submitted", "starting", "running"), target="failed"),
        Transition(action="stop", sources=("submitted", "starting", "running"), target="stopped"),
    ),
    terminal=frozenset({"finished", "failed", "stopped"}),
)

#: A process on a node, as its agent said last. "gone": it ended while no agent looked, or has not
#: been found since; it may turn up again.
MEMBER: Final = Table(
    states=("wanted", "running", "gone", "exited"),
    initial=("wanted", "running"),
    transitions=(
        Transition(action="report_running", sources=("wanted", "gone"), target="running"),
        Transition(action="report_gone", sources=("wanted", "running"), target="gone"),
        Transition(action="report_exited", sources=("wanted", "running", "gone"), target="exited"),
    ),
    terminal=frozenset({"exited"}),
)

#: A command to an agent. "sent" means that an answer with it left; only results tell its effect.
COMMAND: Final = Table(
    states=("queued", "sent", "accepted", "done", "failed", "refused", "expired"),
    initial=("queued",),
    transitions=(
        Transition(action="send", sources=("queued",), target="sent"),
        Transition(action="accept", sources=("queued", "sent"), target="accepted"),
        Transition(action="done", sources=("queued", "sent", "accepted"), target="done"),
        Transition(action="failed", sources=("queued", "sent", "accepted"), target="failed"),
        Transition(action="refused", sources=("queued", "sent", "accepted"), target="refused"),
        Transition(action="expire", sources=("queued", "sent", "accepted"), target="expired"),
    ),
    terminal=frozenset({"done", "failed", "refused", "expired"}),
)

#: How well a job or a rank is protected, from worst to best.
PROTECTIONS: Final = ("unknown", "unprotected", "catching_up", "protected")
