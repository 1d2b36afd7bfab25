"""What can be wrong about who is who.

::

    NotFound
    └── AccountUnknown         no such person, tenant, token or agent
    Conflict
    └── NameTaken              choose another name
    Forbidden
    ├── EnrolRefused           have a new token made for this node
    └── CredentialRefused      enrol again
    Invalid
    └── RequestMalformed       mend the certificate request
"""

from apps.core.errors import Conflict, Forbidden, Invalid, NotFound


class AccountUnknown(NotFound):
    """There is no such person, tenant, token or agent."""


class NameTaken(Conflict):
    """The name is taken."""


class EnrolRefused(Forbidden):
    """This enrolment token is unknown, used, expired, or for another node."""


class CredentialRefused(Forbidden):
    """This certificate is unknown, expired or revoked."""


class RequestMalformed(Invalid):
    """This certificate request can't be signed."""
