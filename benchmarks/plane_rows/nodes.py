"""A fleet of made-up nodes, and their agents' credentials. Needs Django to be set up."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path
    from uuid import UUID

    from apps.accounts.models import Tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A node, and the files with which its agent shows who it is."""

    name: str
    certificate: Path
    key: Path

    def context(self, authority: Path) -> ssl.SSLContext:
        """Return what a connection of this agent is made with."""
        context = ssl.create_default_context(cafile=str(authority))
        context.load_cert_chain(str(self.certificate), str(self.key))
        return context


def enrol_nodes(*, count: int, folder: Path, now: datetime) -> list[Identity]:
    """Make nodes in the demo's tenant and cluster, each with an agent that has enrolled."""
    # apps can only be imported once Django is set up
    from apps.accounts.models import Tenant  # noqa: PLC0415 - see above
    from apps.fleet.models import Cluster, FailureDomain, Node, NodeClass  # noqa: PLC0415

    tenant, cluster = Tenant.objects.get(slug="aurora"), Cluster.objects.get(name="alder")
    rack = FailureDomain.objects.filter(cluster=cluster, kind="rack").first()
    kind = NodeClass.objects.first()
    assert kind is not None, "the demo has one"
    made = list(_agents(tenant, count=count, folder=folder, now=now))
    Node.objects.bulk_create(
        [
            Node(
                tenant=tenant,
                cluster=cluster,
                name=identity.name,
                node_class=kind,
                rack=rack,
                agent_id=agent,
                state_at=now,
                created_at=now,
            )
            for identity, agent in made
        ],
        batch_size=500,
    )
    return [identity for identity, _ in made]


def _agents(
    tenant: Tenant, *, count: int, folder: Path, now: datetime
) -> Iterator[tuple[Identity, UUID]]:
    """Yield each node with the id of its agent."""
    from apps.accounts.models import Agent  # noqa: PLC0415 - see above
    from apps.accounts.services.agents import certificate_sign  # noqa: PLC0415
    from apps.core.ids import new_id  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    # one key for all, as making a thousand is not what is measured; certificates differ
    key = ec.generate_private_key(ec.SECP256R1())
    key_file = folder / "key.pem"
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bench")])
    request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    csr_pem = request.public_bytes(serialization.Encoding.PEM).decode()
    for number in range(count):
        node = f"bench-{number:04}"
        agent_id = new_id()
        issued = certificate_sign(
            csr_pem=csr_pem, agent_id=agent_id, node=node, tenant="aurora", now=now
        )
        Agent.objects.create(
            id=agent_id,
            tenant=tenant,
            node=node,
            serial=issued.serial,
            fingerprint=issued.fingerprint,
            certificate_expires_at=issued.expires_at,
            created_at=now,
        )
        certificate = folder / f"{node}.pem"
        certificate.write_text(issued.certificate_pem)
        yield Identity(name=node, certificate=certificate, key=key_file), agent_id
