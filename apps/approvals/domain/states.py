"""The one table of a request's transitions."""

from typing import Final

from apps.core.transitions import Table, Transition

PENDING: Final = "pending"
APPROVED: Final = "approved"
REFUSED: Final = "refused"
EXPIRED: Final = "expired"
VOID: Final = "void"

TABLE: Final = Table(
    states=(PENDING, APPROVED, REFUSED, EXPIRED, VOID),
    initial=(PENDING,),
    transitions=(
        Transition(action="approve", sources=(PENDING,), target=APPROVED),
        Transition(action="refuse", sources=(PENDING,), target=REFUSED),
        Transition(action="expire", sources=(PENDING,), target=EXPIRED),
        # what was asked is no longer what would be done; one that was carried out stays
        Transition(action="void", sources=(PENDING, APPROVED), target=VOID),
    ),
    terminal=frozenset({REFUSED, EXPIRED, VOID}),
)
