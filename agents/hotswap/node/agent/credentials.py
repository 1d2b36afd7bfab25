"""The agent's key, its request for a certificate, and what it trusts."""

import hashlib
import ssl
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from hotswap.errors import AgentStateUnusable, EnrolmentRefused
from hotswap.node.agent.state_directory import StateDirectory
from hotswap.transfer.atomic import write_atomically

#: How the digest of an authority's certificate begins.
DIGEST_PREFIX: Final = "sha256:"
_HEX_DIGITS: Final = 64


def new_key() -> bytes:
    """Return a new private key in PEM."""
    return ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def keep_credential(state: StateDirectory, *, key_pem: bytes, certificate_pem: str) -> None:
    """Put a key and its certificate in the place of those before, both at once.

    Raises:
        OSError: they can't be written; those before are intact.

    """
    # a file of `write_atomically` is its owner's alone
    write_atomically(state.credential_file, [key_pem, certificate_pem.encode("ascii")])


def read_certificate(state: StateDirectory) -> x509.Certificate:
    """Return the agent's certificate.

    Raises:
        AgentStateUnusable: there is none, or others can read its key.

    """
    path = state.credential_file
    try:
        if path.stat().st_mode & 0o077:
            raise AgentStateUnusable(
                f"others can read {path}: `chmod 600` it, and enrol this node anew with another "
                "--token if anybody may have copied the key"
            )
        return x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError) as error:
        raise _unusable(state, error) from error


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
        AgentStateUnusable: a file is missing or damaged, or others can read the key.

    """
    read_certificate(state)
    try:
        context = trusting(state.authority_file.read_text(encoding="ascii"))
        context.load_cert_chain(state.credential_file)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise _unusable(state, error) from error
    return context


def _unusable(state: StateDirectory, error: Exception) -> AgentStateUnusable:
    return AgentStateUnusable(
        f"the credential in {state.path} cannot be used ({error}): enrol this node anew, with a "
        "new --token"
    )
