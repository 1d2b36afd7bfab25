"""How a node gets a credential of its own, and the next one; see `hotswap.wire.plane`."""

from typing import Annotated

import msgspec

from hotswap.wire.plane.base import PlaneValue
from hotswap.wire.plane.limits import Name

_Pem = Annotated[str, msgspec.Meta(max_length=64 * 1024)]


class Enrolment(PlaneValue, frozen=True, kw_only=True):
    """Ask for a certificate; the key stays on the node."""

    # one-time token that the plane gave out for this node
    token: Annotated[str, msgspec.Meta(max_length=400)]
    # name of the node
    node: Name
    # certificate signing request
    csr_pem: _Pem
    # version of hotswap on the node
    version: Name


class Enrolled(PlaneValue, frozen=True, kw_only=True):
    """The node's credential."""

    # id of the agent
    agent: Name
    certificate_pem: _Pem
    # certificate of the authority that signed it, and the plane's own
    authority_pem: _Pem
    # time between two reports, s
    report_every_s: Annotated[float, msgspec.Meta(gt=0)]


class Renewal(PlaneValue, frozen=True, kw_only=True):
    """Ask for the next certificate, with a new key, over a connection that shows the present one.

    The present one stays good until the next one has been used, so that whoever is killed in
    between, and whatever is lost, still has one that is good.
    """

    # certificate signing request
    csr_pem: _Pem
    # version of hotswap on the node
    version: Name


class Renewed(PlaneValue, frozen=True, kw_only=True):
    """The node's next credential."""

    certificate_pem: _Pem
