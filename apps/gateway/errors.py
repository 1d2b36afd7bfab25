"""What the gateway answers on its own account.

::

    Invalid
    ├── ReportRefused         mend the agent: it will be refused again
    └── RequestTooLarge       split it
    NotFound
    └── PathUnknown           not a path of the agents' port
    Forbidden
    └── CertificateMissing    enrol, and come with the certificate
    Unavailable
    ├── GatewayBusy           come again after `retry_after_s`
    └── IntakeFailed          come again: nothing is lost
"""

from apps.core.errors import Forbidden, Invalid, NotFound, Unavailable
from apps.gateway.limits import RETRY_AFTER_S


class ReportRefused(Invalid):
    """This report is not one that can be taken in."""


class PathUnknown(NotFound):
    """The port for agents has no such path."""


class CertificateMissing(Forbidden):
    """An agent comes with its certificate: enrol first."""


class RequestTooLarge(Invalid):
    """The request is too large."""

    status = 413


class GatewayBusy(Unavailable):
    """More reports wait than can be taken in."""

    def __init__(self) -> None:
        """Say when to come again."""
        super().__init__(extra={"retry_after_s": RETRY_AFTER_S})


class IntakeFailed(Unavailable):
    """The report could not be taken in now."""

    def __init__(self) -> None:
        """Say when to come again."""
        super().__init__(extra={"retry_after_s": RETRY_AFTER_S})
