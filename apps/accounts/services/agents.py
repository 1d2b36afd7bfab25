"""Enrolment of agents: a token that is good once, a certificate, an end to it."""

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
from apps.audit.services import audit_record
from apps.core.access import Actor, ActorKind
from apps.core.ids import new_id

# how long an enrolment token is good if nobody says otherwise
ENROL_WITHIN: Final = timedelta(hours=24)
# when an agent was seen is written once in so long
SEEN_EVERY: Final = timedelta(seconds=10)


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
    authority = authority_of_plane(now=now)
    agent_id = new_id()
    issued = authority.sign(
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
        authority_pem=authority.certificate_pem,
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


def agent_seen(*, agent: Agent, now: datetime) -> None:
    """Note that an agent has reported, if that was not noted lately."""
    if agent.last_seen_at is None or agent.last_seen_at < now - SEEN_EVERY:
        Agent.objects.filter(id=agent.id).update(last_seen_at=now)


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
