"""A leader does what the core says, in its order, and not a thing more once its lease is over."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from hotswap.coordinator.core.coordinator import Coordinator
from hotswap.coordinator.core.effects import (
    Certify,
    Effect,
    FindCheckpoint,
    Notify,
    Persist,
    StopLeading,
)
from hotswap.coordinator.core.events import (
    BecameLeader,
    CheckpointFound,
    Event,
    SaveRefused,
    Tick,
)
from hotswap.coordinator.core.record import Record
from hotswap.coordinator.core.saving import record_of
from hotswap.coordinator.core.swap_record import SwapRecord
from hotswap.coordinator.election import Elected, Election
from hotswap.coordinator.errands import Errands
from hotswap.coordinator.lease import Lease
from hotswap.coordinator.memory_lease import MemoryLeaseStore
from hotswap.coordinator.settings import Settings
from hotswap.coordinator.term import Term, decode_record
from hotswap.errors import LeaseDamaged, StateUnwritable
from hotswap.limits import Limits
from hotswap.wire.messages import Notice
from tests.hotswap.coordinator.checkpoint_files import write
from tests.hotswap.coordinator.fake_cluster import until
from tests.hotswap.coordinator.scripted import JOB, KEY

LIMITS = Limits()
NOTIFY = Notify(notice=Notice(kind="swap_phase", epoch=1))


class FakeCore(Coordinator):
    """Says what a test has told it to say, in answer to each event."""

    def __init__(self) -> None:
        super().__init__(job=JOB, name="coordinator-0", world_size=2, limits=LIMITS)
        self.answers: dict[type[Event], list[Effect]] = {}
        self.events: list[Event] = []

    def handle(self, event: Event, now: float) -> list[Effect]:
        assert now >= 0
        self.events.append(event)
        return self.answers.get(type(event), [])

    def record(self) -> Record:
        return record_of(self.job)


@dataclass(slots=True)
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


class Store(MemoryLeaseStore):
    """Can be made to refuse, and remembers what it has saved."""

    full = False

    def save(self, lease: Lease, record: bytes) -> None:
        if self.full:
            raise StateUnwritable("no room")
        super().save(lease, record)


@dataclass(slots=True, kw_only=True)
class World:
    """A leader whose core is played by the test."""

    job: Path
    settings: Settings
    clock: Clock
    store: Store
    core: FakeCore
    errands: Errands
    term: Term
    ended: list[str] = field(default_factory=list)
    failed: list[BaseException] = field(default_factory=list)

    def on_tick(self, *effects: Effect) -> None:
        self.core.answers[Tick] = list(effects)
        self.term.tick()

    def written(self) -> int:
        """Return how many notices were carried out."""
        path = self.job / "events.jsonl"
        return len(path.read_bytes().splitlines()) if path.exists() else 0


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    settings = Settings(
        job_directory=tmp_path,
        name="coordinator-0",
        world_size=2,
        key=KEY,
        checkpoint_directory=tmp_path / "checkpoints",
    )
    clock, store, core = Clock(), Store(), FakeCore()
    election = Election(store, name="coordinator-0", limits=LIMITS, clock=clock)
    elected = election.look()
    assert isinstance(elected, Elected)
    ended, failed = list[str](), list[BaseException]()
    errands = Errands(settings, failed=failed.append)
    term = Term(
        settings,
        core=core,
        election=election,
        elected=elected,
        errands=errands,
        ended=ended.append,
    )
    world = World(
        job=tmp_path,
        settings=settings,
        clock=clock,
        store=store,
        core=core,
        errands=errands,
        term=term,
        ended=ended,
        failed=failed,
    )
    yield world
    term.close()
    await errands.close()
    assert not failed


async def test_the_first_leader_begins_without_a_record(world: World) -> None:
    world.term.begin()
    assert world.core.events == [BecameLeader(token=1, record=None, election_s=None)]


async def test_a_later_leader_begins_with_what_was_saved(world: World) -> None:
    record = world.core.record()
    world.on_tick(Persist(record=record))
    world.term.begin()
    assert world.core.events[-1] == BecameLeader(token=1, record=record, election_s=None)


async def test_what_was_saved_by_another_version_is_refused_by_name(world: World) -> None:
    saved = world.store.holder(now=world.clock())
    assert saved is not None
    world.store.save(saved, b"\x93\x01\x02\x03")
    with pytest.raises(LeaseDamaged, match="run one version"):
        world.term.begin()


async def test_a_record_is_saved_before_what_stands_behind_it(world: World) -> None:
    record = world.core.record()
    world.on_tick(Persist(record=record), NOTIFY)
    saved = world.store.load()
    assert saved is not None
    assert decode_record(saved) == record
    assert world.written() == 1


async def test_what_stands_behind_a_save_that_another_leader_prevents_is_not_done(
    world: World,
) -> None:
    lease = world.store.holder(now=world.clock())
    assert lease is not None
    world.store.release(lease)  # as when the clocks of two machines differ
    assert world.store.acquire(name="other", ttl_s=10.0, now=world.clock()) is not None
    world.core.answers[SaveRefused] = [NOTIFY, StopLeading(reason="another leads")]
    world.on_tick(Persist(record=world.core.record()), NOTIFY)
    assert world.core.events[-1] == SaveRefused()
    assert world.written() == 0
    assert "other has led since, with token 2" in world.ended[0]


async def test_a_leader_that_cannot_save_leads_no_more(world: World) -> None:
    world.store.full = True
    world.core.answers[SaveRefused] = [StopLeading(reason="it could not be saved")]
    world.on_tick(Persist(record=world.core.record()), NOTIFY)
    assert world.written() == 0
    assert world.ended == ["it could not be saved: no room"]


async def test_nothing_is_done_once_the_lease_has_expired(world: World) -> None:
    world.clock.now += LIMITS.leader_lease_s
    world.on_tick(NOTIFY)
    assert world.core.events == []
    assert world.written() == 0
    assert world.ended == ["its lease has expired"]


async def test_a_leader_frozen_between_two_effects_does_not_do_the_second(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry_out = world.term._carry_out

    def freeze_after(effect: Effect) -> bool:
        done = carry_out(effect)
        world.clock.now += LIMITS.leader_lease_s
        return done

    monkeypatch.setattr(world.term, "_carry_out", freeze_after)
    world.on_tick(NOTIFY, NOTIFY, NOTIFY)
    assert world.written() == 1
    assert len(world.ended) == 1


async def test_a_term_ends_once_and_then_nothing_has_any_effect(world: World) -> None:
    world.on_tick(StopLeading(reason="first"), NOTIFY)
    world.on_tick(StopLeading(reason="second"), NOTIFY)
    assert world.ended == ["first"]
    assert world.written() == 0


@pytest.mark.parametrize(("before_step", "found"), [(None, 20), (20, 10), (10, None)])
async def test_the_core_is_told_which_checkpoint_there_is(
    world: World, before_step: int | None, found: int | None
) -> None:
    for step in (10, 20):
        write(world.settings.checkpoint_directory, step=step, job=world.settings.job)
    world.on_tick(FindCheckpoint(before_step=before_step))
    await until(lambda: world.core.events[-1] == CheckpointFound(step=found))


async def test_checkpoints_that_cannot_be_read_are_told_and_count_as_none(world: World) -> None:
    world.settings.checkpoint_directory.write_bytes(b"not a directory")
    with capture_logs() as logs:
        world.on_tick(FindCheckpoint(before_step=None))
        await until(lambda: world.core.events[-1] == CheckpointFound(step=None))
    assert [entry["event"] for entry in logs] == ["checkpoints_unreadable"]


def swap(**fields: object) -> SwapRecord:
    defaults: dict[str, object] = {
        "id": "1", "kind": "planned", "rank": 0, "from_member": "a", "to_member": "b",
        "epoch_before": 1, "epoch_after": 2, "step": 3, "digest_before": None,
        "digest_after": None, "mismatched": None, "phases": {}, "leader": "coordinator-0",
        "token": 1, "cause": "", "steps_lost": 0,
    }  # fmt: skip
    # a test may set any field
    return SwapRecord(**(defaults | fields))  # type: ignore[arg-type]


async def test_a_certificate_is_written_once_and_the_first_one_stays(world: World) -> None:
    path = world.settings.certificate_directory / "swap-1.json"
    with capture_logs() as logs:
        world.on_tick(Certify(record=swap()))
        await until(lambda: len(logs) == 1)
        first = path.read_bytes()
        world.on_tick(Certify(record=swap(token=2)))
        await until(lambda: len(logs) == 2)
    assert [entry["event"] for entry in logs] == ["certificate_written", "certificate_kept"]
    assert path.read_bytes() == first


async def test_a_certificate_that_cannot_be_written_costs_nothing_else(world: World) -> None:
    world.settings.certificate_directory.write_bytes(b"not a directory")
    with capture_logs() as logs:
        world.on_tick(Certify(record=swap()), NOTIFY)
        await until(lambda: len(logs) == 2)
    assert {entry["event"] for entry in logs} == {"certificate_not_written", "swap_phase"}
    assert not world.ended


async def test_an_error_in_the_background_is_not_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object, **_named: object) -> None:
        raise AssertionError("an invariant does not hold")

    monkeypatch.setattr("hotswap.coordinator.errands.find_checkpoint", fail)
    world.on_tick(FindCheckpoint(before_step=None))
    await until(lambda: bool(world.failed))
    assert isinstance(world.failed.pop(), AssertionError)


async def test_a_certificate_is_written_to_its_end_though_the_leader_ends(world: World) -> None:
    world.on_tick(Certify(record=swap()))
    world.term.close()
    await world.errands.close()
    assert (world.settings.certificate_directory / "swap-1.json").exists()


async def test_a_checkpoint_that_is_found_too_late_is_not_told(world: World) -> None:
    world.on_tick(FindCheckpoint(before_step=None))
    world.term.close()
    await world.errands.close()
    assert world.core.events == [Tick()]
