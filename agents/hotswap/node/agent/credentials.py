"""The agent's key, its request for a certificate, and what it trusts."""

import hashlib
import os
import ssl
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from hotswap.errors import AgentStateUnusable, EnrolmentRefused
from hotswap.node.agent.state_directory import StateDirectory

#: How the digest of an authority's certificate begins.
DIGEST_PREFIX: Final = "sha256:"
_HEX_DIGITS: Final = 64


def ensure_key(state: StateDirectory) -> bytes:
    """Return the private key in PEM, a new one where there is none; it is this user's alone.

    Raises:
        AgentStateUnusable: it can't be written, or others can read it.

    """
    path = state.key_file
    try:
        if path.stat().st_mode & 0o077:
            raise AgentStateUnusable(
                f"others can read {path}: `chmod 600` it, and have the agent's certificate revoked "
                "if anybody may have copied the key"
            )
        return path.read_bytes()
    except FileNotFoundError:
        return _write_key(path)
    except OSError as error:
        raise AgentStateUnusable(f"cannot read {path}: {error.strerror}") from error


def request_certificate(key_pem: bytes, *, node: str) -> str:
    """Return a certificate signing request in PEM for the node of this name."""
    key = serialization.load_pem_private_key(key_pem, password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey), "the agent makes no other keys"
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, node)])
    request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    return request.public_bytes(serialization.Encoding.PEM).decode("ascii")


def belongs_to_key(certificate_pem: str, key_pem: bytes) -> bool:
    """Whether a certificate is for this key; False too for what is no certificate."""
    key = serialization.load_pem_private_key(key_pem, password=None)
    try:
        certificate = x509.load_pem_x509_certificate(certificate_pem.encode("ascii"))
    except ValueError:
        return False
    return certificate.public_key() == key.public_key()


def authority_digest(authority_pem: str) -> str:
    """Return the digest by which a person can give the authority: of the first certificate.

    Raises:
        ValueError: there is none.

    """
    certificate = x509.load_pem_x509_certificate(authority_pem.encode("ascii"))
    encoded = certificate.public_bytes(serialization.Encoding.DER)
    return DIGEST_PREFIX + hashlib.sha256(encoded).hexdigest()


def digest_given(text: str) -> str:
    """Return a digest as `authority_digest` has it, from how people and tools write it.

    Raises:
        EnrolmentRefused: it is no SHA-256.

    """
    digits = text.strip().lower().removeprefix(DIGEST_PREFIX).replace(":", "")
    if len(digits) != _HEX_DIGITS or set(digits) - set("0123456789abcdef"):
        raise EnrolmentRefused(
            f"{text!r} is no digest of an authority: give sha256: and 64 hexadecimal digits, as "
            "the plane shows them with the token"
        )
    return DIGEST_PREFIX + digits


def trusting(authority_pem: str) -> ssl.SSLContext:
    """Return how to connect to a plane whose certificate is of this authority.

    Raises:
        ssl.SSLError: the text holds no certificate.

    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_verify_locations(cadata=authority_pem)
    return context


def mutual(state: StateDirectory) -> ssl.SSLContext:
    """Return how an enrolled agent connects.

    Raises:
        AgentStateUnusable: a file is missing or damaged.

    """
    try:
        context = trusting(state.authority_file.read_text(encoding="ascii"))
        context.load_cert_chain(state.certificate_file, state.key_file)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise AgentStateUnusable(
            f"the credential in {state.path} cannot be used ({error}): enrol this node anew, with "
            "a new token and an empty --state"
        ) from error
    return context


def _write_key(path: Path) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    encoded = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(encoded)
    except OSError as error:
        raise AgentStateUnusable(f"cannot write {path}: {error.strerror}") from error
    return encoded
