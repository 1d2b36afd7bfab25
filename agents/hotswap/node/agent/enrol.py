"""How a node gets a certificate: once for each one-time token that it is given.

The token that a node has enrolled with may go on being given at each start. Another one has it
enrol anew, whatever became of the certificate before; all else that the agent knows stays.

The plane is known by its authority's certificate, given as a file, or by that certificate's digest:
then the plane itself hands out the certificate, and nothing else is said before it has the digest.
The token goes to nobody who can't prove to be the plane.
"""

import hashlib
import ssl
from dataclasses import replace
from datetime import datetime
from typing import Final

import httpx
import msgspec

from hotswap.errors import (
    AgentStateUnusable,
    EnrolmentRefused,
    PlaneMessageMalformed,
    PlaneUnreachable,
)
from hotswap.node.agent.credentials import (
    authority_digest,
    belongs_to_key,
    digest_given,
    keep_credential,
    new_key,
    read_certificate,
    request_certificate,
    trusting,
)
from hotswap.node.agent.inventory import hotswap_version
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.settings import AgentSettings
from hotswap.node.agent.state_directory import StateDirectory
from hotswap.transfer.atomic import write_atomically
from hotswap.wire.plane import (
    AUTHORITY_PATH,
    ENROL_PATH,
    Enrolled,
    Enrolment,
    decode_plane,
    encode_plane,
)

_OK: Final = 200
_CREATED: Final = 201
_PEM_NBYTES_MAX: Final = 64 * 1024
#: What a stranger sends is not unpacked.
_UNPACKED: Final = {"accept-encoding": "identity"}


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Who an enrolled agent is."""

    # id that the plane has given
    agent: str
    # name of the node
    node: str
    # address of the plane's port for agents
    plane: str
    # time between two reports, s
    report_every_s: float
    # SHA-256 of the token that it has enrolled with
    token: str


def read_identity(state: StateDirectory) -> Identity | None:
    """Return who this agent is; None: it has not been enrolled.

    Raises:
        AgentStateUnusable: the file is not as it was written.

    """
    try:
        return msgspec.json.decode(state.identity_file.read_bytes(), type=Identity)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise AgentStateUnusable(f"{state.identity_file} is damaged: {error}") from error


def identify(
    settings: AgentSettings, state: StateDirectory, *, limits: AgentLimits, now: datetime
) -> Identity:
    """Return who this agent is; enrol it where it has not been, or has been given another token.

    Raises:
        EnrolmentRefused: it has neither been enrolled nor been given what it takes, the plane
            refuses, or its certificate has expired.
        PlaneUnreachable: the plane does not answer.
        AgentStateUnusable: the state directory is of another node, or can't be written.

    """
    known = read_identity(state)
    if known is None:
        return _enrol(settings, state, limits=limits)
    if settings.node is not None and settings.node != known.node:
        raise AgentStateUnusable(
            f"{state.path} is that of node {known.node}: choose another --state for {settings.node}"
        )
    if settings.token and _digest(settings.token) != known.token:
        return _enrol(_with_known(settings, state, known), state, limits=limits)
    expires_at = read_certificate(state).not_valid_after_utc
    if expires_at <= now:
        raise EnrolmentRefused(expired_text(node=known.node, expires_at=expires_at))
    if settings.plane is not None and settings.plane != known.plane:
        known = msgspec.structs.replace(known, plane=settings.plane)
        _keep(state, known)
    return known


def expired_text(*, node: str, expires_at: datetime) -> str:
    """Say what to do when there is nothing left to renew."""
    return (
        f"the certificate of node {node} has expired at {expires_at.isoformat()}, and the plane "
        f"lets it in no more: get a new token (`manage.py agent_token {node}`) and start "
        "`hotswap agent --token` once with it; jobs on this node go on meanwhile"
    )


def _with_known(settings: AgentSettings, state: StateDirectory, known: Identity) -> AgentSettings:
    """Return the settings of another enrolment: what is not given is as it was."""
    given = settings.authority is not None or settings.authority_digest is not None
    return replace(
        settings,
        plane=settings.plane or known.plane,
        node=known.node,
        authority=settings.authority if given else state.authority_file,
    )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _enrol(settings: AgentSettings, state: StateDirectory, *, limits: AgentLimits) -> Identity:
    plane, token, node = settings.plane, settings.token, settings.node
    if plane is None or not token or node is None:
        raise EnrolmentRefused(
            f"{state.path} holds no credential: give --plane, --token and --name once (the plane "
            "gives a token for each node)"
        )
    authority = _authority(settings, plane, limits=limits)
    key = new_key()
    request = Enrolment(
        token=token,
        node=node,
        csr_pem=request_certificate(key, node=node),
        version=hotswap_version(),
    )
    answer = _ask(plane, request, context=trusting(authority), limits=limits)
    if not belongs_to_key(answer.certificate_pem, key):
        raise EnrolmentRefused(f"{plane} has signed another key than this node's: ask who runs it")
    identity = Identity(
        agent=answer.agent,
        node=node,
        plane=plane,
        report_every_s=answer.report_every_s,
        token=_digest(token),
    )
    # what was checked stays trusted, whatever the answer holds besides
    write_atomically(state.authority_file, [authority.encode("ascii")])
    keep_credential(state, key_pem=key, certificate_pem=answer.certificate_pem)
    # last, because with it the agent counts as enrolled
    _keep(state, identity)
    return identity


def _keep(state: StateDirectory, identity: Identity) -> None:
    write_atomically(state.identity_file, [msgspec.json.encode(identity), b"\n"])


def _authority(settings: AgentSettings, plane: str, *, limits: AgentLimits) -> str:
    """Return the authority's certificate, checked."""
    if not plane.startswith("https://"):
        raise EnrolmentRefused(f"{plane} is no https address: agents talk to a plane by TLS alone")
    if settings.authority is not None:
        try:
            pem = settings.authority.read_text(encoding="ascii")
            authority_digest(pem)
        except (OSError, ValueError) as error:
            raise EnrolmentRefused(
                f"{settings.authority} holds no certificate in PEM ({error})"
            ) from error
        return pem
    if settings.authority_digest is None:
        raise EnrolmentRefused(
            "nothing tells which plane can be trusted: give --authority FILE (the certificate of "
            "the plane's authority) or --authority-digest sha256:... (shown with the token)"
        )
    return _fetch_authority(plane, settings.authority_digest, limits=limits)


def _fetch_authority(plane: str, digest: str, *, limits: AgentLimits) -> str:
    """Ask the plane for its authority's certificate, and hold it to its digest."""
    expected = digest_given(digest)
    pem = _fetch(plane, limits=limits)
    try:
        found = authority_digest(pem)
    except ValueError as error:
        raise EnrolmentRefused(
            f"{plane} hands out no certificate of an authority: see whether that is the plane's "
            "port for agents, or give the certificate with --authority FILE"
        ) from error
    if found != expected:
        raise EnrolmentRefused(
            f"{plane} is not the plane that you mean, and was told nothing: its authority has the "
            f"digest {found}, and {expected} was expected. Compare with what the plane shows with "
            "a token; if it is not the same, somebody stands in between"
        )
    return pem


def _fetch(plane: str, *, limits: AgentLimits) -> str:
    """Return what anyone answers who listens there, a limited part of it."""
    anyone = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anyone.check_hostname = False
    # nothing is said here, and what is heard is checked by its digest
    anyone.verify_mode = ssl.CERT_NONE
    address = plane.rstrip("/") + AUTHORITY_PATH
    heard = bytearray()
    try:
        with (
            httpx.Client(verify=anyone, timeout=limits.request_s, trust_env=False) as client,
            client.stream("GET", address, headers=_UNPACKED) as response,
        ):
            for part in response.iter_raw():
                heard += part
                if len(heard) > _PEM_NBYTES_MAX:
                    break
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise PlaneUnreachable(f"{plane} does not answer ({error}): see whether it runs") from error
    return heard[:_PEM_NBYTES_MAX].decode("ascii", "replace")


def _ask(
    plane: str, request: Enrolment, *, context: ssl.SSLContext, limits: AgentLimits
) -> Enrolled:
    try:
        response = httpx.post(
            plane.rstrip("/") + ENROL_PATH,
            content=encode_plane(request),
            headers={"content-type": "application/json"},
            verify=context,
            timeout=limits.request_s,
            trust_env=False,
        )
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise PlaneUnreachable(
            f"{plane} does not answer as the plane would ({error}): see whether it runs, and "
            "whether the authority's certificate is its own"
        ) from error
    if response.status_code not in {_OK, _CREATED}:
        raise EnrolmentRefused(
            f"{plane} refuses node {request.node} ({response.status_code}: {_reason(response)}): "
            "ask for a new token; one serves one node once"
        )
    try:
        return decode_plane(response.content, Enrolled)
    except PlaneMessageMalformed as error:
        raise PlaneUnreachable(f"{plane} answers, but not as the plane would: {error}") from error


class _Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What of RFC 9457 is shown to a person."""

    title: str = ""
    detail: str = ""


def _reason(response: httpx.Response) -> str:
    """Return what the plane says of a refusal."""
    try:
        problem = msgspec.json.decode(response.content, type=_Problem)
    except msgspec.DecodeError:
        return "no reason given"
    return problem.detail or problem.title or "no reason given"
