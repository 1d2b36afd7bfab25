"""The key is the node's alone, and a certificate is taken for that key alone."""

from pathlib import Path

import pytest
from cryptography import x509

from hotswap.errors import AgentStateUnusable
from hotswap.node.agent.credentials import (
    authority_digest,
    belongs_to_key,
    keep_credential,
    mutual,
    new_key,
    request_certificate,
)
from hotswap.node.agent.state_directory import StateDirectory
from tests.hotswap.node.agent.authority_double import Authority


@pytest.fixture
def state(tmp_path: Path) -> StateDirectory:
    state = StateDirectory(path=tmp_path / "state")
    state.make()
    return state


def kept(state: StateDirectory, authority: Authority) -> bytes:
    """Keep a credential that is good; return its key."""
    key = new_key()
    certificate = authority.sign(request_certificate(key, node="n1"))
    keep_credential(state, key_pem=key, certificate_pem=certificate)
    state.authority_file.write_text(authority.pem)
    return key


def test_nobody_else_can_read_the_key(state: StateDirectory) -> None:
    key = kept(state, Authority())
    assert key in state.credential_file.read_bytes()
    assert state.credential_file.stat().st_mode & 0o777 == 0o600
    assert state.path.stat().st_mode & 0o777 == 0o700
    mutual(state)


def test_a_key_that_others_can_read_is_not_used(state: StateDirectory) -> None:
    kept(state, Authority())
    state.credential_file.chmod(0o640)
    with pytest.raises(AgentStateUnusable, match="others can read"):
        mutual(state)


def test_key_and_certificate_are_replaced_together_or_not_at_all(
    state: StateDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(state, Authority())
    before = state.credential_file.read_bytes()

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    with pytest.raises(OSError, match="No space"):
        kept(state, Authority())
    monkeypatch.undo()
    assert state.credential_file.read_bytes() == before
    mutual(state)


def test_the_request_names_the_node_and_is_signed_with_the_key() -> None:
    request = x509.load_pem_x509_csr(request_certificate(new_key(), node="n1").encode("ascii"))
    assert request.is_signature_valid
    assert request.subject.rfc4514_string() == "CN=n1"


def test_a_certificate_of_another_key_does_not_belong_to_it() -> None:
    authority, key = Authority(), new_key()
    mine = authority.sign(request_certificate(key, node="n1"))
    assert belongs_to_key(mine, key)
    assert not belongs_to_key(authority.pem, key)
    assert not belongs_to_key("no certificate", key)


def test_the_digest_of_an_authority_is_that_of_its_certificate() -> None:
    authority = Authority()
    digest = authority_digest(authority.pem)
    assert digest.startswith("sha256:")
    assert len(digest) == len("sha256:") + 64
    assert authority_digest(authority.pem + Authority().pem) == digest
    with pytest.raises(ValueError, match="PEM"):
        authority_digest("none")


def test_a_damaged_credential_says_what_to_do(state: StateDirectory) -> None:
    kept(state, Authority())
    state.credential_file.write_text("none")
    with pytest.raises(AgentStateUnusable, match="enrol this node anew"):
        mutual(state)


def test_one_agent_at_a_time_has_a_state_directory(state: StateDirectory) -> None:
    state.claim()
    with pytest.raises(AgentStateUnusable, match="another agent runs"):
        state.claim()
