"""Enrolment of agents: a token that is good once, a certificate, the next one, an end to it."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from apps.accounts.authority import Authority, Issued
from apps.accounts.domain.names import name_checked
from apps.accounts.domain.secret_texts import (
    CHANCE_BYTES,
    ENROL_PREFIX,
    secret_digest,
    secret_of,
)
from apps.accounts.errors import AccountUnknown, EnrolRefused
from apps.accounts.models import Agent, EnrolToken
from apps.accounts.selectors import agent_by_fingerprint
from apps.audit.services import audit_record
from apps.core.access import Actor, ActorKind
from apps.core.ids import new_id

# how long an enrolment token is good if nobody says otherwise
ENROL_WITHIN: Final = timedelta(hours=24)
_NEXT: Final = ("next_serial", "next_fingerprint", "next_expires_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """What an agent gets when it enrols."""

    # the row
    agent: Agent
    # its certificate, in PEM
    certificate_pem: str
    # the certificate that ours are signed with, in PEM
    authority_pem: str


@transaction.atomic
def enrol_token_create(
    *,
    actor: Actor,
    tenant_id: UUID,
    node: str,
    now: datetime,
    good_for: timedelta = ENROL_WITHIN,
) -> tuple[EnrolToken, str]:
    """Make a token with which the agent of one node can enrol, once.

    Returns:
        The row, and the token's text, which is kept nowhere.
    """
    secret = secret_of(prefix=ENROL_PREFIX, chance=secrets.token_urlsafe(CHANCE_BYTES))
    token = EnrolToken.objects.create(
        tenant_id=tenant_id,
        node=name_checked(node, field="node"),
        digest=secret.digest,
        expires_at=now + good_for,
        created_at=now,
    )
    audit_record(
        at=now,
        actor=actor,
        tenant_id=tenant_id,
        action="enrol_token.create",
        subject=f"node:{node}",
        detail={"expires_at": token.expires_at.isoformat()},
    )
    return token, secret.text


@transaction.atomic
def agent_enrol(*, token: str, node: str, csr_pem: str, version: str, now: datetime) -> Enrolment:
    """Sign the certificate of a node's agent; what the node had before is revoked.

    Raises:
        EnrolRefused: if the token is not good for this.
        RequestMalformed: if the request can't be signed; the token stays good.
    """
    ours = EnrolToken.objects.filter(
        digest=secret_digest(token), node=node, used_at=None, expires_at__gt=now
    )
    if not ours.update(used_at=now):
        raise EnrolRefused
    row = EnrolToken.objects.select_related("tenant").get(digest=secret_digest(token))
    agent_id = new_id()
    issued = certificate_sign(
        csr_pem=csr_pem, agent_id=agent_id, node=node, tenant=row.tenant.slug, now=now
    )
    for former in Agent.objects.filter(tenant=row.tenant, node=node, revoked_at=None):
        agent_revoke(actor=actor_of(former), agent=former, reason="enrolled again", now=now)
    agent = _agent_of(issued, agent_id=agent_id, token=row, version=version, now=now)
    _record(
        agent, actor=actor_of(agent), action="agent.enrol", detail={"version": version}, now=now
    )
    return Enrolment(
        agent=agent,
        certificate_pem=issued.certificate_pem,
        authority_pem=authority_of_plane(now=now).certificate_pem,
    )


@transaction.atomic
def agent_revoke(*, actor: Actor, agent: Agent, reason: str, now: datetime) -> None:
    """Let an agent in no more.

    Raises:
        AccountUnknown: if it was revoked already.
    """
    if not Agent.objects.filter(id=agent.id, revoked_at=None).update(revoked_at=now):
        raise AccountUnknown
    _record(agent, actor=actor, action="agent.revoke", detail={"reason": reason}, now=now)


@transaction.atomic
def agent_renew(*, fingerprint: str, csr_pem: str, version: str, now: datetime) -> str:
    """Sign the next certificate of an agent, and return it in PEM.

    The certificate that it comes with stays good until the next one is used: an answer that was
    lost costs nothing. One that was signed before and never used takes its place no more.

    Raises:
        CredentialRefused: if the certificate that it comes with is unknown, expired or revoked.
        RequestMalformed: if the request can't be signed.
    """
    agent = agent_by_fingerprint(fingerprint=fingerprint, now=now)
    if agent.next_fingerprint == fingerprint:
        _adopt(agent, now=now)
    issued = certificate_sign(
        csr_pem=csr_pem, agent_id=agent.id, node=agent.node, tenant=agent.tenant.slug, now=now
    )
    agent.next_serial, agent.next_fingerprint = issued.serial, issued.fingerprint
    agent.next_expires_at, agent.version = issued.expires_at, version
    agent.save(update_fields=(*_NEXT, "version"))
    detail = {"next": issued.fingerprint, "expires_at": issued.expires_at.isoformat()}
    _record(agent, actor=actor_of(agent), action="agent.renew", detail=detail, now=now)
    return issued.certificate_pem


@transaction.atomic
def certificate_adopt(*, fingerprint: str, now: datetime) -> None:
    """Note that an agent uses its next certificate: the one before is refused from now on.

    Safe to repeat.
    """
    agent = (
        Agent.objects.select_for_update(no_key=True).filter(next_fingerprint=fingerprint).first()
    )
    if agent is not None:
        _adopt(agent, now=now)


def _adopt(agent: Agent, *, now: datetime) -> None:
    """Let the next certificate of a locked row take the place of the present one."""
    assert agent.next_serial is not None, "it has a next certificate"
    assert agent.next_fingerprint is not None, "likewise"
    assert agent.next_expires_at is not None, "likewise"
    former = agent.fingerprint
    agent.serial, agent.fingerprint = agent.next_serial, agent.next_fingerprint
    agent.certificate_expires_at = agent.next_expires_at
    agent.next_serial = agent.next_fingerprint = agent.next_expires_at = None
    agent.save(update_fields=("serial", "fingerprint", "certificate_expires_at", *_NEXT))
    detail = {"former": former}
    _record(agent, actor=actor_of(agent), action="agent.certificate_adopt", detail=detail, now=now)


def certificate_sign(
    *, csr_pem: str, agent_id: UUID, node: str, tenant: str, now: datetime
) -> Issued:
    """Sign the key of an agent, for as long as the settings say.

    Raises:
        RequestMalformed: if the request can't be signed.
    """
    return authority_of_plane(now=now).sign(
        csr_pem=csr_pem,
        agent_id=agent_id,
        node=node,
        tenant=tenant,
        valid=settings.HOTSWAP_CERTIFICATE_VALID,
        now=now,
    )


def authority_of_plane(*, now: datetime) -> Authority:
    """Return who signs the certificates of agents, made where there is none."""
    return Authority.load(folder=Path(settings.HOTSWAP_AUTHORITY_DIR), now=now)


def actor_of(agent: Agent) -> Actor:
    """Return who an agent is in records."""
    return Actor(kind=ActorKind.AGENT, id=str(agent.id), name=agent.node)


def _agent_of(
    issued: Issued, *, agent_id: UUID, token: EnrolToken, version: str, now: datetime
) -> Agent:
    return Agent.objects.create(
        id=agent_id,
        tenant=token.tenant,
        node=token.node,
        version=version,
        serial=issued.serial,
        fingerprint=issued.fingerprint,
        certificate_expires_at=issued.expires_at,
        created_at=now,
    )


def _record(
    agent: Agent, *, actor: Actor, action: str, detail: dict[str, str], now: datetime
) -> None:
    audit_record(
        at=now,
        actor=actor,
        tenant_id=agent.tenant_id,
        action=action,
        subject=f"agent:{agent.id}",
        detail={"node": agent.node, "fingerprint": agent.fingerprint, **detail},
    )
