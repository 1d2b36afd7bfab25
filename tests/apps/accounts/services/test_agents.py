"""An agent enrols once with a token, and is then known by its certificate until that is revoked."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from pytest_django import Settings

from apps.accounts.errors import (
    AccountUnknown,
    CredentialRefused,
    EnrolRefused,
    RequestMalformed,
)
from apps.accounts.models import Agent, EnrolToken
from apps.accounts.selectors import agent_by_fingerprint
from apps.accounts.services import (
    Enrolment,
    agent_enrol,
    agent_renew,
    agent_revoke,
    certificate_adopt,
    enrol_token_create,
)
from apps.audit.models import AuditEntry
from apps.core.access import SYSTEM
from tests.apps.signed_in import a_tenant

pytestmark = pytest.mark.django_db

AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _authority(settings: Settings, tmp_path: Path) -> None:
    settings.HOTSWAP_AUTHORITY_DIR = tmp_path / "authority"


def a_request(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey | None = None) -> str:
    key = key or ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "whatever it says")])
    request = x509.CertificateSigningRequestBuilder().subject_name(subject)
    signed = request.sign(key, hashes.SHA256())
    return signed.public_bytes(serialization.Encoding.PEM).decode()


def a_token(node: str = "n1") -> str:
    _, text = enrol_token_create(actor=SYSTEM, tenant_id=a_tenant().id, node=node, now=AT)
    return text


def enrolled(node: str = "n1", *, now: datetime = AT) -> Enrolment:
    return agent_enrol(
        token=a_token(node), node=node, csr_pem=a_request(), version="0.1.0", now=now
    )


def test_the_certificate_names_agent_node_and_tenant_and_is_signed_by_the_authority() -> None:
    enrolment = enrolled()
    certificate = x509.load_pem_x509_certificate(enrolment.certificate_pem.encode())
    authority = x509.load_pem_x509_certificate(enrolment.authority_pem.encode())
    certificate.verify_directly_issued_by(authority)
    assert certificate.subject.rfc4514_string() == "CN=n1,O=aurora"
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.UniformResourceIdentifier) == [
        f"urn:hotswap:agent:{enrolment.agent.id}"
    ]
    usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.CLIENT_AUTH]
    assert certificate.fingerprint(hashes.SHA256()).hex() == enrolment.agent.fingerprint


def test_an_agent_is_found_by_its_certificate() -> None:
    enrolment = enrolled()
    found = agent_by_fingerprint(fingerprint=enrolment.agent.fingerprint, now=AT)
    assert (found.id, found.node, found.tenant.slug) == (enrolment.agent.id, "n1", "aurora")


def test_a_token_is_good_once() -> None:
    text = a_token()
    agent_enrol(token=text, node="n1", csr_pem=a_request(), version="", now=AT)
    with pytest.raises(EnrolRefused):
        agent_enrol(token=text, node="n1", csr_pem=a_request(), version="", now=AT)
    assert Agent.objects.count() == 1


def test_a_token_is_good_for_its_node_alone() -> None:
    with pytest.raises(EnrolRefused):
        agent_enrol(token=a_token("n1"), node="n2", csr_pem=a_request(), version="", now=AT)


def test_a_token_expires() -> None:
    late = AT + timedelta(hours=24)
    with pytest.raises(EnrolRefused):
        agent_enrol(token=a_token(), node="n1", csr_pem=a_request(), version="", now=late)


def test_a_guess_is_refused() -> None:
    with pytest.raises(EnrolRefused):
        agent_enrol(token="hse_guess", node="n1", csr_pem=a_request(), version="", now=AT)  # noqa: S106 - a guess


def test_the_token_is_kept_as_a_digest() -> None:
    text = a_token()
    assert text.startswith("hse_")
    assert text not in EnrolToken.objects.get().digest


@pytest.mark.parametrize("request_pem", ["", "no request", "-" * 20_000, a_request()[:-60]])
def test_a_request_that_is_none_leaves_the_token_good(request_pem: str) -> None:
    text = a_token()
    with pytest.raises(RequestMalformed):
        agent_enrol(token=text, node="n1", csr_pem=request_pem, version="", now=AT)
    agent_enrol(token=text, node="n1", csr_pem=a_request(), version="", now=AT)


def test_a_weak_key_is_refused() -> None:
    weak = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505 - so that it is refused
    with pytest.raises(RequestMalformed, match="too weak"):
        agent_enrol(token=a_token(), node="n1", csr_pem=a_request(weak), version="", now=AT)


def test_a_revoked_agent_is_let_in_no_more() -> None:
    agent = enrolled().agent
    agent_revoke(actor=SYSTEM, agent=agent, reason="stolen", now=AT)
    with pytest.raises(CredentialRefused):
        agent_by_fingerprint(fingerprint=agent.fingerprint, now=AT)
    with pytest.raises(AccountUnknown):
        agent_revoke(actor=SYSTEM, agent=agent, reason="again", now=AT)


def test_a_certificate_ends() -> None:
    agent = enrolled().agent
    with pytest.raises(CredentialRefused):
        agent_by_fingerprint(fingerprint=agent.fingerprint, now=agent.certificate_expires_at)


def test_a_node_that_enrols_again_has_one_agent() -> None:
    first, second = enrolled().agent, enrolled().agent
    assert agent_by_fingerprint(fingerprint=second.fingerprint, now=AT).id == second.id
    with pytest.raises(CredentialRefused):
        agent_by_fingerprint(fingerprint=first.fingerprint, now=AT)


def test_every_step_is_in_the_trail() -> None:
    enrolled()
    agent = enrolled().agent
    agent_revoke(actor=SYSTEM, agent=agent, reason="stolen", now=AT)
    actions = AuditEntry.objects.filter(tenant_id=agent.tenant_id).order_by("sequence")
    assert [entry.action for entry in actions] == [
        "enrol_token.create",
        "agent.enrol",
        "enrol_token.create",
        "agent.revoke",
        "agent.enrol",
        "agent.revoke",
    ]


def renewed(fingerprint: str, *, now: datetime = AT) -> x509.Certificate:
    pem = agent_renew(fingerprint=fingerprint, csr_pem=a_request(), version="0.2.0", now=now)
    return x509.load_pem_x509_certificate(pem.encode())


def print_of(certificate: x509.Certificate) -> str:
    return certificate.fingerprint(hashes.SHA256()).hex()


def lets_in(fingerprint: str, *, now: datetime = AT) -> bool:
    try:
        agent_by_fingerprint(fingerprint=fingerprint, now=now)
    except CredentialRefused:
        return False
    return True


def test_the_present_certificate_is_good_until_the_next_one_is_used() -> None:
    agent = enrolled().agent
    following = print_of(renewed(agent.fingerprint, now=AT + timedelta(days=60)))
    assert (lets_in(agent.fingerprint), lets_in(following)) == (True, True)
    for _ in range(2):
        certificate_adopt(fingerprint=following, now=AT + timedelta(days=61))
    assert (lets_in(agent.fingerprint), lets_in(following)) == (False, True)
    found = Agent.objects.get()
    assert (found.id, found.fingerprint, found.version) == (agent.id, following, "0.2.0")
    assert found.next_fingerprint is None


def test_the_next_certificate_is_for_the_same_agent_and_as_long_as_the_first(
    settings: Settings,
) -> None:
    settings.HOTSWAP_CERTIFICATE_VALID = timedelta(days=30)
    agent = enrolled().agent
    assert agent.certificate_expires_at == AT + timedelta(days=30)
    certificate = renewed(agent.fingerprint, now=AT + timedelta(days=20))
    assert certificate.subject.rfc4514_string() == "CN=n1,O=aurora"
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.UniformResourceIdentifier) == [
        f"urn:hotswap:agent:{agent.id}"
    ]
    assert certificate.not_valid_after_utc == AT + timedelta(days=50)


def test_an_answer_that_was_lost_costs_nothing() -> None:
    agent = enrolled().agent
    lost = print_of(renewed(agent.fingerprint))
    following = print_of(renewed(agent.fingerprint))
    assert (lets_in(agent.fingerprint), lets_in(lost), lets_in(following)) == (True, False, True)


def test_who_renews_with_the_next_certificate_has_used_it() -> None:
    agent = enrolled().agent
    second = print_of(renewed(agent.fingerprint))
    third = print_of(renewed(second))
    assert (lets_in(agent.fingerprint), lets_in(second), lets_in(third)) == (False, True, True)


def test_the_next_certificate_outlives_the_one_before() -> None:
    agent = enrolled().agent
    ends = agent.certificate_expires_at
    following = print_of(renewed(agent.fingerprint, now=ends - timedelta(days=1)))
    assert (lets_in(agent.fingerprint, now=ends), lets_in(following, now=ends)) == (False, True)


def test_a_revoked_agent_can_not_renew_and_loses_both() -> None:
    agent = enrolled().agent
    following = print_of(renewed(agent.fingerprint))
    agent_revoke(actor=SYSTEM, agent=agent, reason="stolen", now=AT)
    for fingerprint in (agent.fingerprint, following):
        with pytest.raises(CredentialRefused):
            renewed(fingerprint)


def test_an_expired_certificate_does_not_renew_itself() -> None:
    agent = enrolled().agent
    with pytest.raises(CredentialRefused):
        renewed(agent.fingerprint, now=agent.certificate_expires_at)


def test_a_renewal_that_is_no_request_changes_nothing() -> None:
    agent = enrolled().agent
    with pytest.raises(RequestMalformed):
        agent_renew(fingerprint=agent.fingerprint, csr_pem="none", version="", now=AT)
    assert Agent.objects.get().next_fingerprint is None


def test_a_renewal_and_its_first_use_are_in_the_trail() -> None:
    agent = enrolled().agent
    following = print_of(renewed(agent.fingerprint))
    certificate_adopt(fingerprint=following, now=AT)
    entries = AuditEntry.objects.filter(subject=f"agent:{agent.id}").order_by("sequence")
    assert [entry.action for entry in entries] == [
        "agent.enrol",
        "agent.renew",
        "agent.certificate_adopt",
    ]
    assert f'"next":"{following}"' in entries[1].body
    assert f'"former":"{agent.fingerprint}"' in entries[2].body
