"""What can go wrong with an approval.

::

    PlaneError
    ├── Forbidden
    │   └── MayNotDecide      403: `who_can` names those who may
    └── Conflict
        ├── AlreadyDecided    409: `decided_by` and `decided_at` say by whom and when
        ├── NotPending        409: it expired, or was declared void
        └── PlanChanged       409: look at the plan again; `plan_digest` is the one that counts
"""

from apps.core.errors import Conflict, Forbidden


class MayNotDecide(Forbidden):
    """You may not decide this request."""


class AlreadyDecided(Conflict):
    """Somebody else was faster."""


class NotPending(Conflict):
    """The request is no longer open."""


class PlanChanged(Conflict):
    """This is not the plan that the request is about."""
