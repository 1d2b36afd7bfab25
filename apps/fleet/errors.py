"""What this app's services raise.

::

    NotFound
    └── NodeUnknown           look elsewhere
    Conflict
    ├── NodeChanged           somebody else was quicker: look again
    ├── NodeOccupied          move its ranks away, or give its reservation back, first
    ├── NodeNameTaken         give it another name
    └── SpareMissing          `spares` says why each spare cannot be taken
    Invalid
    └── FleetNotReadable      mend the text
"""

from apps.core.errors import Conflict, Invalid, NotFound


class NodeUnknown(NotFound):
    """There is no such node, or you may not see it."""


class NodeChanged(Conflict):
    """The node has changed meanwhile."""


class NodeOccupied(Conflict):
    """The node still holds something."""


class NodeNameTaken(Conflict):
    """The name is taken in this cluster."""


class SpareMissing(Conflict):
    """No spare can take over."""


class FleetNotReadable(Invalid):
    """The text does not describe a fleet in this format."""
