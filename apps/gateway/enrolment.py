"""An agent gets its certificate, speaks for its node from then on, and gets the next one."""

from datetime import datetime

from django.db import transaction

from apps.accounts.services.agents import actor_of, agent_enrol, agent_renew
from apps.fleet.services.registering import node_register
from apps.gateway.limits import REPORT_EVERY_S
from hotswap.wire.plane import Enrolled, Enrolment, Renewal, Renewed


def enrol(asked: Enrolment, *, at: datetime) -> Enrolled:
    """Sign the agent's key, and register its node where there is none of that name.

    Raises:
        EnrolRefused, RequestMalformed, NodeNameTaken: nothing is changed, the token stays good.
    """
    with transaction.atomic():
        enrolment = agent_enrol(
            token=asked.token, node=asked.node, csr_pem=asked.csr_pem, version=asked.version, now=at
        )
        agent = enrolment.agent
        node_register(
            tenant_id=agent.tenant_id,
            name=agent.node,
            agent_id=agent.id,
            actor=actor_of(agent),
            at=at,
        )
    return Enrolled(
        agent=str(agent.id),
        certificate_pem=enrolment.certificate_pem,
        authority_pem=enrolment.authority_pem,
        report_every_s=REPORT_EVERY_S,
    )


def renew(asked: Renewal, *, fingerprint: str, at: datetime) -> Renewed:
    """Sign the next key of the agent whose certificate has that fingerprint.

    Raises:
        CredentialRefused, RequestMalformed: nothing is changed.
    """
    pem = agent_renew(fingerprint=fingerprint, csr_pem=asked.csr_pem, version=asked.version, now=at)
    return Renewed(certificate_pem=pem)
