"""The agents' port knows who has connected, and lets nobody else in."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from apps.accounts.authority import CERTIFICATE_FILE, Authority
from apps.core import clock
from apps.core.ids import new_id
from apps.gateway.http import fingerprint_of
from controlplane.agent_protocol import AgentProtocol
from dev.stack.ports import free_port


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """Key and certificate in one file, and the certificate's fingerprint."""

    path: Path
    fingerprint: str


async def told(scope: Any, _receive: Any, send: Any) -> None:
    """Answer with the fingerprint of the certificate that the request came with."""
    chain = scope["extensions"]["tls"]["client_cert_chain"]
    body = fingerprint_of(scope).encode() if chain else b"nobody"
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(name="authority")
def _authority(tmp_path: Path) -> Authority:
    return Authority.load(folder=tmp_path, now=clock.now())


@pytest.fixture(name="address")
async def _address(authority: Authority, tmp_path: Path) -> AsyncIterator[str]:
    key, certificate = authority.server_files(folder=tmp_path, names=["127.0.0.1"], now=clock.now())
    port = free_port()
    server = uvicorn.Server(
        uvicorn.Config(
            told,
            port=port,
            http=AgentProtocol,
            ws="none",
            lifespan="off",
            log_level="critical",
            ssl_keyfile=str(key),
            ssl_certfile=str(certificate),
            ssl_ca_certs=str(tmp_path / CERTIFICATE_FILE),
            ssl_cert_reqs=ssl.CERT_OPTIONAL,
        )
    )
    task = asyncio.create_task(server._serve())
    async with asyncio.timeout(10):
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
    yield f"https://127.0.0.1:{port}/"
    server.should_exit = True
    await asyncio.wait_for(task, timeout=10)


def credential(authority: Authority, folder: Path, name: str) -> Credential:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject)
    csr = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    issued = authority.sign(
        csr_pem=csr.decode(),
        agent_id=new_id(),
        node=name,
        tenant="aurora",
        valid=timedelta(days=90),
        now=clock.now(),
    )
    key_pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = folder / f"{name}.pem"
    path.write_bytes(key_pem + issued.certificate_pem.encode())
    return Credential(path=path, fingerprint=issued.fingerprint)


async def asked(address: str, trusted: Path, shown: Credential | None) -> str:
    context = ssl.create_default_context(cafile=str(trusted / CERTIFICATE_FILE))
    if shown is not None:
        context.load_cert_chain(shown.path)
    async with httpx.AsyncClient(verify=context, trust_env=False) as client:
        answers = [(await client.get(address)).text for _ in range(2)]
    assert answers[0] == answers[1]
    return answers[0]


async def test_each_connection_is_known_by_its_certificate(
    address: str, authority: Authority, tmp_path: Path
) -> None:
    first, second = (credential(authority, tmp_path, name) for name in ("n1", "n2"))
    assert await asked(address, tmp_path, first) == first.fingerprint
    assert await asked(address, tmp_path, second) == second.fingerprint


async def test_who_comes_without_is_nobody(address: str, tmp_path: Path) -> None:
    assert await asked(address, tmp_path, None) == "nobody"


async def test_a_certificate_of_another_authority_gets_no_answer(
    address: str, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = Authority.load(folder=elsewhere, now=clock.now())
    with pytest.raises(httpx.TransportError):
        await asked(address, tmp_path, credential(other, elsewhere, "n1"))


async def test_a_certificate_that_has_expired_gets_no_answer(
    address: str, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_ago = clock.now() - timedelta(days=800)
    monkeypatch.setattr(clock, "now", lambda: long_ago)
    old = credential(authority, tmp_path, "n1")
    monkeypatch.undo()
    with pytest.raises(httpx.TransportError):
        await asked(address, tmp_path, old)
