"""A certificate is renewed in time, and whatever fails in between, one that is good is left."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from structlog.testing import capture_logs

from hotswap.errors import PlaneUnreachable
from hotswap.node.agent.credentials import (
    keep_credential,
    mutual,
    new_key,
    read_certificate,
    request_certificate,
)
from hotswap.node.agent.limits import AgentLimits
from hotswap.node.agent.renewal import Renewer, renewal_due
from hotswap.node.agent.state_directory import StateDirectory
from tests.hotswap.node.agent.authority_double import Authority
from tests.hotswap.node.agent.plane_double import MemoryClient, PlaneDouble

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
VALID = timedelta(days=90)
LIMITS = replace(AgentLimits(), renew_share=0.6, renew_jitter_share=0.1, renew_look_s=10.0**9)
DUE = BEGIN + 0.6 * VALID


class World:
    """An agent with a certificate for 90 days, and a plane that signs."""

    def __init__(self, folder: Path) -> None:
        self.state = StateDirectory(path=folder / "state")
        self.state.make()
        self.authority = Authority()
        self.state.authority_file.write_text(self.authority.pem)
        self.now = BEGIN
        key = new_key()
        signed = self.sign(request_certificate(key, node="n1"))
        keep_credential(self.state, key_pem=key, certificate_pem=signed)
        self.client = MemoryClient(PlaneDouble())
        self.client.sign = self.sign

    def sign(self, csr_pem: str) -> str:
        return self.authority.sign(csr_pem, begins=self.now, valid=VALID)

    def renewer(self, *, limits: AgentLimits = LIMITS, chance: float = 0.0) -> Renewer:
        return Renewer(self.state, node="n1", client=self.client, limits=limits, chance=chance)

    @property
    def ends(self) -> datetime:
        """When the certificate ends that the next agent would find."""
        mutual(self.state)
        return read_certificate(self.state).not_valid_after_utc


@pytest.fixture(name="world")
def _world(tmp_path: Path) -> World:
    return World(tmp_path)


async def look(renewer: Renewer, world: World, at: datetime) -> timedelta:
    world.now = at
    return timedelta(seconds=await renewer.look(now=at))


async def test_nothing_is_renewed_before_its_share_of_the_time(world: World) -> None:
    world.client.sign = None
    renewer = world.renewer()
    assert await look(renewer, world, BEGIN) == 0.6 * VALID
    assert await look(renewer, world, DUE - timedelta(hours=1)) == timedelta(hours=1)


async def test_then_the_next_one_is_fetched_kept_and_used(world: World) -> None:
    before = world.state.credential_file.read_bytes()
    renewer = world.renewer()
    assert await look(renewer, world, DUE) == 0.6 * VALID
    assert world.ends == DUE + VALID
    assert len(world.client.used) == 1
    # with a key of its own
    assert world.state.credential_file.read_bytes()[:200] != before[:200]
    # an agent that is started now finds it, and does not renew
    world.client.sign = None
    assert await look(world.renewer(), world, DUE) == 0.6 * VALID


@pytest.mark.parametrize(("chance", "share"), [(0.0, 0.6), (0.5, 0.65), (1.0, 0.7)])
def test_agents_renew_at_different_moments(world: World, chance: float, share: float) -> None:
    certificate = read_certificate(world.state)
    assert renewal_due(certificate, limits=LIMITS, chance=chance) == BEGIN + share * VALID


async def test_it_is_looked_again_and_again_as_clocks_are_set(world: World) -> None:
    limits = replace(LIMITS, renew_look_s=300.0)
    assert await look(world.renewer(limits=limits), world, BEGIN) == timedelta(seconds=300)


async def test_a_plane_that_is_away_is_asked_again_less_and_less_often(world: World) -> None:
    renewer, ends = world.renewer(), world.ends
    world.client.error = PlaneUnreachable("away")
    with capture_logs() as logs:
        pauses = [(await look(renewer, world, DUE)).total_seconds() for _ in range(8)]
    assert pauses == [60, 120, 240, 480, 960, 1920, 3600, 3600]
    assert [each["log_level"] for each in logs] == ["warning"] * 3 + ["error"] * 5
    assert {each["event"] for each in logs} == {"certificate_not_renewed"}
    assert world.ends == ends
    world.client.error = None
    await look(renewer, world, DUE)
    assert world.ends == DUE + VALID
    world.client.error = PlaneUnreachable("away again")
    again = await look(renewer, world, DUE + VALID - timedelta(days=1))
    assert again == timedelta(seconds=60)


async def test_no_pause_is_longer_than_the_certificate_is_valid(world: World) -> None:
    world.client.error = PlaneUnreachable("away")
    left = timedelta(seconds=5)
    assert await look(world.renewer(), world, world.ends - left) == left


async def test_a_disk_that_is_full_leaves_the_one_before(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    renewer, ends = world.renewer(), world.ends

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.write", full)
        assert await look(renewer, world, DUE) == timedelta(seconds=60)
    assert (world.ends, world.client.used) == (ends, [])
    await look(renewer, world, DUE)
    assert world.ends == DUE + VALID


async def test_an_agent_killed_after_the_write_uses_the_next_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class KilledError(BaseException):
        """Nothing after this is done."""

    async def die(*_: object) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(world.client, "use", die)
        with pytest.raises(KilledError):
            await look(world.renewer(), world, DUE)
    assert world.ends == DUE + VALID


async def test_a_certificate_for_another_key_is_not_taken(world: World) -> None:
    ends = world.ends
    world.client.sign = lambda _: world.sign(request_certificate(new_key(), node="n1"))
    assert await look(world.renewer(), world, DUE) == timedelta(seconds=60)
    assert world.ends == ends
    world.client.sign = lambda _: "no certificate"
    assert await look(world.renewer(), world, DUE) == timedelta(seconds=60)


async def test_a_certificate_that_has_ended_says_what_to_do(world: World) -> None:
    world.client.sign = None
    with capture_logs() as logs:
        wait = await look(world.renewer(), world, world.ends)
    assert wait == timedelta(seconds=LIMITS.renew_retry_s_max)
    (said,) = logs
    assert (said["event"], said["log_level"]) == ("certificate_expired", "error")
    assert "manage.py agent_token n1" in said["detail"]


async def test_short_certificates_are_not_renewed_in_a_circle(world: World) -> None:
    def brief(csr_pem: str) -> str:
        return world.authority.sign(csr_pem, begins=world.now, valid=timedelta(seconds=1))

    world.client.sign = brief
    assert await look(world.renewer(), world, DUE) == timedelta(seconds=60)


def test_the_share_never_exceeds_the_certificate() -> None:
    certificate = x509.load_pem_x509_certificate(Authority().pem.encode())
    limits = replace(LIMITS, renew_share=0.99, renew_jitter_share=5.0)
    due = renewal_due(certificate, limits=limits, chance=1.0)
    assert due == certificate.not_valid_after_utc
