"""The plane's own certificate authority, for the port of the agents and for nothing else.

Key and certificate stand in one file, so that there is never the one without the other; it is made
when it is first needed, and of two processes that make it at once, one wins.
"""

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final, Self
from uuid import UUID

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from apps.accounts.errors import RequestMalformed

AUTHORITY_FILE: Final = "authority.pem"
CERTIFICATE_FILE: Final = "authority-certificate.pem"
AUTHORITY_VALID: Final = timedelta(days=3650)
SERVER_VALID: Final = timedelta(days=397)
# clocks of nodes may be behind; of what is valid for less than an hour, a smaller part
BACKDATED: Final = timedelta(minutes=5)
BACKDATED_SHARE: Final = 1 / 12
CSR_BYTES_MAX: Final = 16 * 1024
RSA_BITS_MIN: Final = 2048
CURVES: Final = (ec.SECP256R1, ec.SECP384R1)

PublicKey = ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey | rsa.RSAPublicKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """A certificate that was signed."""

    # in PEM
    certificate_pem: str
    # in hex
    serial: str
    # SHA-256 of the certificate, in hex
    fingerprint: str
    # when it ends
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Authority:
    """Signs certificates."""

    # stays in the file and in this process
    key: ec.EllipticCurvePrivateKey
    # what others check ours against
    certificate: x509.Certificate

    @classmethod
    def load(cls, *, folder: Path, now: datetime) -> Self:
        """Return the authority of a folder, made where there is none."""
        path = folder / AUTHORITY_FILE
        if not path.is_file():
            _make(folder, now)
        pem = path.read_bytes()
        key = serialization.load_pem_private_key(pem, password=None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        return cls(key=key, certificate=x509.load_pem_x509_certificate(pem))

    @property
    def certificate_pem(self) -> str:
        """The authority's certificate."""
        return _pem(self.certificate)

    @property
    def digest(self) -> str:
        """What a node that has only this checks the certificate by."""
        return f"sha256:{self.certificate.fingerprint(hashes.SHA256()).hex()}"

    def sign(
        self,
        *,
        csr_pem: str,
        agent_id: UUID,
        node: str,
        tenant: str,
        valid: timedelta,
        now: datetime,
    ) -> Issued:
        """Sign the key of a certificate request; what else the request says is ignored.

        Raises:
            RequestMalformed: if it is none, is not signed with its own key, or the key is weak.
        """
        subject = x509.Name(
            [
                x509.NameAttribute(NameOID.ORGANIZATION_NAME, tenant),
                x509.NameAttribute(NameOID.COMMON_NAME, node),
            ]
        )
        names = [x509.UniformResourceIdentifier(f"urn:hotswap:agent:{agent_id}")]
        builder = _leaf(subject, names, ExtendedKeyUsageOID.CLIENT_AUTH, now, valid)
        return self._issue(builder.public_key(_key_of(csr_pem)))

    def server_files(self, *, folder: Path, names: list[str], now: datetime) -> tuple[Path, Path]:
        """Write key and certificate of the agents' port, and return where they are."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        builder = _leaf(
            subject, _names_of(names), ExtendedKeyUsageOID.SERVER_AUTH, now, SERVER_VALID
        )
        issued = self._issue(builder.public_key(key.public_key()))
        key_path, certificate_path = folder / "server-key.pem", folder / "server-certificate.pem"
        _write(key_path, _key_pem(key))
        _write(certificate_path, issued.certificate_pem.encode())
        return key_path, certificate_path

    def _issue(self, builder: x509.CertificateBuilder) -> Issued:
        certificate = builder.issuer_name(self.certificate.subject).sign(self.key, hashes.SHA256())
        return Issued(
            certificate_pem=_pem(certificate),
            serial=f"{certificate.serial_number:x}",
            fingerprint=certificate.fingerprint(hashes.SHA256()).hex(),
            expires_at=certificate.not_valid_after_utc,
        )


def _key_of(csr_pem: str) -> PublicKey:
    """Return the key of a request that proves to have it."""
    if len(csr_pem) > CSR_BYTES_MAX:
        raise RequestMalformed(f"A request has {CSR_BYTES_MAX} bytes at most.")
    try:
        request = x509.load_pem_x509_csr(csr_pem.encode())
        key = request.public_key()
        proven = request.is_signature_valid
    except (ValueError, UnsupportedAlgorithm, InvalidSignature) as error:
        raise RequestMalformed("This is no certificate request in PEM.") from error
    if not proven:
        raise RequestMalformed("The request is not signed with its own key.")
    match key:
        case ec.EllipticCurvePublicKey() if isinstance(key.curve, CURVES):
            return key
        case ed25519.Ed25519PublicKey():
            return key
        case rsa.RSAPublicKey() if key.key_size >= RSA_BITS_MIN:
            return key
    raise RequestMalformed("The key is too weak: take P-256, P-384, Ed25519, or RSA of 2048 bits.")


def _leaf(
    subject: x509.Name,
    names: list[x509.GeneralName] | list[x509.UniformResourceIdentifier],
    purpose: x509.ObjectIdentifier,
    now: datetime,
    valid: timedelta,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - min(BACKDATED, valid * BACKDATED_SHARE))
        .not_valid_after(now + valid)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
    )


def _names_of(names: list[str]) -> list[x509.GeneralName]:
    def general(name: str) -> x509.GeneralName:
        try:
            return x509.IPAddress(ip_address(name))
        except ValueError:
            return x509.DNSName(name)

    return [general(name) for name in names]


def _make(folder: Path, now: datetime) -> None:
    """Make an authority, unless another process has done so meanwhile."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    key = ec.generate_private_key(ec.SECP384R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Hotswap agent authority")])
    usage = dict.fromkeys(
        (
            "content_commitment",
            "crl_sign",
            "data_encipherment",
            "decipher_only",
            "digital_signature",
            "encipher_only",
            "key_agreement",
            "key_encipherment",
        ),
        False,
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + AUTHORITY_VALID)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.KeyUsage(key_cert_sign=True, **usage), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = _pem(certificate)
    own = folder / f".{AUTHORITY_FILE}.{os.getpid()}"
    _write(own, _key_pem(key) + pem.encode())
    try:
        os.link(own, folder / AUTHORITY_FILE)
        _write(folder / CERTIFICATE_FILE, pem.encode())
    except FileExistsError:
        pass
    finally:
        own.unlink()


def _write(path: Path, content: bytes) -> None:
    """Write a file that only its owner reads."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode("ascii")


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
