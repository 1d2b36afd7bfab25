"""A node enrols once, and says its token to nobody but the plane."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hotswap.errors import AgentStateUnusable, EnrolmentRefused, PlaneUnreachable
from hotswap.node.agent.credentials import (
    authority_digest,
    mutual,
    new_key,
    request_certificate,
)
from hotswap.node.agent.enrol import Identity, identify, read_identity
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.plane_client import HttpPlaneClient
from hotswap.node.agent.settings import AgentSettings
from hotswap.node.agent.state_directory import StateDirectory
from hotswap.wire.plane import Report
from tests.hotswap.node.agent.authority_double import Authority
from tests.hotswap.node.agent.https_plane import ONE_TIME, HttpsPlane

LIMITS = replace(AgentLimits(), request_s=5.0)


@pytest.fixture
def plane(tmp_path: Path) -> Iterator[HttpsPlane]:
    with HttpsPlane(tmp_path) as serving:
        yield serving


@pytest.fixture
def settings(tmp_path: Path, plane: HttpsPlane) -> AgentSettings:
    return AgentSettings(
        plane=plane.url,
        token=ONE_TIME,
        node="n1",
        state=tmp_path / "state",
        authority=plane.authority_file,
    )


def enrolled(settings: AgentSettings, *, now: datetime | None = None) -> Identity:
    state = StateDirectory(path=settings.state)
    state.make()
    return identify(settings, state, limits=LIMITS, now=now or datetime.now(UTC))


async def test_an_enrolled_node_has_a_certificate_that_the_plane_takes(
    settings: AgentSettings, plane: HttpsPlane
) -> None:
    identity = enrolled(settings)
    assert (identity.agent, identity.node, identity.plane) == ("agent-1", "n1", plane.url)
    assert identity.report_every_s == 0.2
    state = StateDirectory(path=settings.state)
    assert read_identity(state) == identity
    client = HttpPlaneClient(plane=plane.url, context=mutual(state), limits=LIMITS)
    answer = await client.report(Report(boot="b", sequence=1, sent_at="now"))
    await client.close()
    assert answer.accepted_sequence == 1
    (enrolment,) = plane.enrolments
    assert "PRIVATE" not in enrolment.csr_pem


def test_it_enrols_once_and_needs_nothing_afterwards(
    settings: AgentSettings, plane: HttpsPlane
) -> None:
    identity = enrolled(settings)
    assert enrolled(AgentSettings(state=settings.state)) == identity
    assert len(plane.enrolments) == 1


def test_the_plane_may_move(settings: AgentSettings) -> None:
    enrolled(settings)
    moved = replace(settings, plane="https://elsewhere:1")
    assert enrolled(moved).plane == "https://elsewhere:1"
    assert enrolled(AgentSettings(state=settings.state)).plane == "https://elsewhere:1"


def test_the_authority_can_be_given_by_its_digest(
    settings: AgentSettings, plane: HttpsPlane
) -> None:
    digest = authority_digest(plane.authority.pem)
    assert enrolled(replace(settings, authority=None, authority_digest=digest)).agent == "agent-1"
    pinned = StateDirectory(path=settings.state).authority_file
    assert pinned.read_text() == plane.authority.pem


@pytest.mark.parametrize("digest", ["", "unset", "sha256:12", "md5:" + "0" * 64, "g" * 64])
def test_what_is_no_digest_is_refused_before_anybody_is_asked(
    settings: AgentSettings, digest: str
) -> None:
    nobody = replace(settings, plane="https://127.0.0.1:1", authority=None, authority_digest=digest)
    with pytest.raises(EnrolmentRefused, match="is no digest"):
        enrolled(nobody)


def test_a_digest_may_be_written_as_openssl_writes_it(
    settings: AgentSettings, plane: HttpsPlane
) -> None:
    digits = authority_digest(plane.authority.pem).removeprefix("sha256:").upper()
    pairs = ":".join(digits[at : at + 2] for at in range(0, 64, 2))
    assert enrolled(replace(settings, authority=None, authority_digest=pairs)).agent == "agent-1"


def test_a_server_that_is_no_plane_is_not_told_the_token(
    settings: AgentSettings, plane: HttpsPlane
) -> None:
    digest = authority_digest(plane.authority.pem)
    by_digest = replace(settings, authority=None, authority_digest=digest)
    plane.authority.pem = "x" * 200_000
    with pytest.raises(EnrolmentRefused, match="hands out no certificate"):
        enrolled(by_digest)
    with pytest.raises(PlaneUnreachable, match="see whether it runs"):
        enrolled(replace(by_digest, plane="https://127.0.0.1:1"))
    assert plane.enrolments == []


def test_a_plane_with_another_authority_is_not_told_the_token(
    settings: AgentSettings, plane: HttpsPlane, tmp_path: Path
) -> None:
    other = tmp_path / "other.pem"
    other.write_text(Authority().pem)
    with pytest.raises(PlaneUnreachable, match="does not answer as the plane would"):
        enrolled(replace(settings, authority=other))
    digest = authority_digest(Authority().pem)
    with pytest.raises(EnrolmentRefused, match="not the plane that you mean") as caught:
        enrolled(replace(settings, authority=None, authority_digest=digest))
    assert digest in str(caught.value)
    assert authority_digest(plane.authority.pem) in str(caught.value)
    assert plane.enrolments == []


def test_without_anything_to_know_the_plane_by_nothing_is_said(settings: AgentSettings) -> None:
    with pytest.raises(EnrolmentRefused, match="--authority-digest"):
        enrolled(replace(settings, authority=None))


def test_what_is_missing_for_an_enrolment_is_named(settings: AgentSettings) -> None:
    for incomplete in (
        replace(settings, plane=None),
        replace(settings, token=None),
        replace(settings, node=None),
    ):
        with pytest.raises(EnrolmentRefused, match="--plane, --token and --name"):
            enrolled(incomplete)


def test_a_plane_without_tls_is_refused(settings: AgentSettings) -> None:
    with pytest.raises(EnrolmentRefused, match="TLS"):
        enrolled(replace(settings, plane="http://127.0.0.1:1"))


def test_a_used_token_is_refused_with_the_planes_reason(settings: AgentSettings) -> None:
    with pytest.raises(EnrolmentRefused, match="the token was used"):
        enrolled(replace(settings, token="used"))  # noqa: S106 - a word of this test
    assert read_identity(StateDirectory(path=settings.state)) is None


def test_a_certificate_for_another_key_is_refused(
    settings: AgentSettings, plane: HttpsPlane
) -> None:
    plane.sign_for = request_certificate(new_key(), node="n1")
    with pytest.raises(EnrolmentRefused, match="another key"):
        enrolled(settings)


def test_another_token_has_it_enrol_anew_and_keeps_all_else(
    settings: AgentSettings, plane: HttpsPlane
) -> None:
    enrolled(settings)
    state = StateDirectory(path=settings.state)
    before = state.credential_file.read_bytes()
    (state.path / "commands").mkdir()
    plane.one_time = "another"
    anew = AgentSettings(state=settings.state, token=plane.one_time)
    for _ in range(2):
        assert enrolled(anew).node == "n1"
    assert len(plane.enrolments) == 2
    assert state.credential_file.read_bytes() != before
    assert (state.path / "commands").is_dir()
    mutual(state)


def test_an_expired_certificate_says_what_to_do(settings: AgentSettings, plane: HttpsPlane) -> None:
    enrolled(settings)
    late = datetime.now(UTC) + timedelta(days=3)
    with pytest.raises(EnrolmentRefused, match=r"manage\.py agent_token n1") as caught:
        enrolled(AgentSettings(state=settings.state), now=late)
    assert "has expired at" in str(caught.value)
    plane.one_time = "another"
    assert enrolled(AgentSettings(state=settings.state, token="another"), now=late).node == "n1"  # noqa: S106 - a word of this test


def test_a_plane_that_is_not_there_is_unreachable(settings: AgentSettings) -> None:
    with pytest.raises(PlaneUnreachable):
        enrolled(replace(settings, plane="https://127.0.0.1:1"))


def test_a_state_directory_belongs_to_one_node(settings: AgentSettings) -> None:
    enrolled(settings)
    with pytest.raises(AgentStateUnusable, match="that of node n1"):
        enrolled(replace(settings, node="n2"))
