"""What the services of this app raise.

::

    NotFound
    └── JobUnknown
    Conflict
    ├── JobNameTaken          an open job of the tenant has the name: choose another
    ├── JobOver               it has ended: nothing can be asked of it any more
    ├── NoPlaceForJob         nodes are missing: the text says which are barred, and why
    ├── JobOutOfReach         its agent is not heard: end `hotswap run` on its node
    └── FoundJobGone          the agent no longer reports it
    Invalid
    └── JobRefused            `fields` says what to mend
"""

from apps.core.errors import Conflict, Invalid, NotFound


class JobUnknown(NotFound):
    """There is no such job, or you may not see it."""


class JobNameTaken(Conflict):
    """An open job of this tenant has that name in the cluster."""


class JobOver(Conflict):
    """The job has ended."""


class NoPlaceForJob(Conflict):
    """The cluster has no place for every member of the job."""


class JobOutOfReach(Conflict):
    """Nobody can end `hotswap run` from here: its node's agent is not heard of."""


class FoundJobGone(Conflict):
    """No agent reports this job any more."""


class JobRefused(Invalid):
    """The job cannot be run like that."""
