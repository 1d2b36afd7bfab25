"""The authority is made once, its key is its owner's alone, and the agents' port gets its files."""

import ssl
import stat
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509

from apps.accounts.authority import AUTHORITY_FILE, CERTIFICATE_FILE, Authority

AT = datetime(2026, 3, 1, tzinfo=UTC)


def test_the_authority_is_the_same_when_it_is_loaded_again(tmp_path: Path) -> None:
    first = Authority.load(folder=tmp_path, now=AT)
    assert Authority.load(folder=tmp_path, now=AT).certificate == first.certificate
    assert (tmp_path / CERTIFICATE_FILE).read_text() == first.certificate_pem


def test_only_its_owner_reads_the_key(tmp_path: Path) -> None:
    Authority.load(folder=tmp_path, now=AT)
    assert stat.S_IMODE((tmp_path / AUTHORITY_FILE).stat().st_mode) == 0o600


def test_nothing_else_is_left_in_the_folder(tmp_path: Path) -> None:
    Authority.load(folder=tmp_path, now=AT)
    assert {path.name for path in tmp_path.iterdir()} == {AUTHORITY_FILE, CERTIFICATE_FILE}


def test_the_agents_port_gets_a_certificate_for_its_names(tmp_path: Path) -> None:
    authority = Authority.load(folder=tmp_path, now=AT)
    names = ["localhost", "127.0.0.1"]
    key, certificate = authority.server_files(folder=tmp_path, names=names, now=AT)
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(certificate, key)
    read = x509.load_pem_x509_certificate(certificate.read_bytes())
    read.verify_directly_issued_by(authority.certificate)
    found = read.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert found.get_values_for_type(x509.DNSName) == ["localhost"]
    assert [str(one) for one in found.get_values_for_type(x509.IPAddress)] == ["127.0.0.1"]
