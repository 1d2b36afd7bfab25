"""An authority that signs what agents and planes ask for, for one test."""

import datetime as dt
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = dt.timedelta(days=1)


def named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


class Authority:
    """Signs certificates; ``pem`` is its own."""

    def __init__(self, name: str = "authority of a test") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = named(name)
        certificate = (
            self._builder(self._name, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.pem = certificate.public_bytes(serialization.Encoding.PEM).decode()

    def sign(
        self, csr_pem: str, *, begins: dt.datetime | None = None, valid: dt.timedelta = 2 * DAY
    ) -> str:
        """Sign what an agent asks for; valid since a day ago unless it is said."""
        request = x509.load_pem_x509_csr(csr_pem.encode())
        assert request.is_signature_valid
        certificate = self._builder(
            request.subject, request.public_key(), begins=begins, valid=valid
        ).sign(self._key, hashes.SHA256())
        return certificate.public_bytes(serialization.Encoding.PEM).decode()

    def server(self, folder: Path) -> ssl.SSLContext:
        """Give what a plane on this machine serves with; certificates of clients are checked."""
        key = ec.generate_private_key(ec.SECP256R1())
        address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        certificate = (
            self._builder(named("plane"), key.public_key())
            .add_extension(x509.SubjectAlternativeName([address]), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        file = folder / "plane.pem"
        file.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        context.load_verify_locations(cadata=self.pem)
        context.verify_mode = ssl.CERT_OPTIONAL
        return context

    def _builder(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePublicKey | object,
        *,
        begins: dt.datetime | None = None,
        valid: dt.timedelta = 2 * DAY,
    ) -> x509.CertificateBuilder:
        begins = begins or dt.datetime.now(dt.UTC) - DAY
        assert isinstance(key, ec.EllipticCurvePublicKey)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(begins)
            .not_valid_after(begins + valid)
        )
