"""Reports that come one by one are taken in together."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from apps.gateway.batching import Batcher
from apps.gateway.errors import GatewayBusy, IntakeFailed
from apps.gateway.intake import Delivery, Outcome
from tests.apps.gateway.making import report


class Database:
    """Takes reports in, as slowly as a test wants."""

    def __init__(self) -> None:
        self.passes: list[list[int]] = []
        self.goes = asyncio.Event()
        self.goes.set()
        self.began = asyncio.Event()
        self.fails = False

    async def __call__(self, deliveries: Sequence[Delivery]) -> list[Outcome]:
        self.passes.append([each.report.sequence for each in deliveries])
        self.began.set()
        await self.goes.wait()
        if self.fails:
            raise RuntimeError("broken")
        return [Outcome(accepted_sequence=each.report.sequence) for each in deliveries]


@pytest.fixture(name="database")
async def _database() -> Database:
    return Database()


@pytest.fixture(name="batcher")
async def _batcher(database: Database) -> AsyncIterator[Batcher]:
    batcher = Batcher(database, queue_max=3)
    task = asyncio.create_task(batcher.run())
    yield batcher
    task.cancel()


def number(sequence: int) -> Delivery:
    return Delivery(fingerprint="f", report=report(sequence))


async def test_each_report_gets_its_own_answer(batcher: Batcher, database: Database) -> None:
    outcomes = await asyncio.gather(*(batcher.submit(number(each)) for each in (1, 2, 3)))
    assert [each.accepted_sequence for each in outcomes] == [1, 2, 3]
    assert database.passes == [[1, 2, 3]]


async def test_what_comes_during_a_pass_is_in_the_next(
    batcher: Batcher, database: Database
) -> None:
    database.goes.clear()
    first = asyncio.create_task(batcher.submit(number(1)))
    await database.began.wait()
    others = [asyncio.create_task(batcher.submit(number(each))) for each in (2, 3)]
    await asyncio.sleep(0)
    database.goes.set()
    await asyncio.gather(first, *others)
    assert database.passes == [[1], [2, 3]]


async def test_a_full_queue_says_when_to_come_again(batcher: Batcher, database: Database) -> None:
    database.goes.clear()
    waiting = [asyncio.create_task(batcher.submit(number(1)))]
    await database.began.wait()
    waiting += [asyncio.create_task(batcher.submit(number(each))) for each in (2, 3, 4)]
    await asyncio.sleep(0)
    with pytest.raises(GatewayBusy) as busy:
        await batcher.submit(number(5))
    assert busy.value.extra == {"retry_after_s": 2}
    database.goes.set()
    await asyncio.gather(*waiting)


async def test_a_pass_that_fails_ends_no_later_one(batcher: Batcher, database: Database) -> None:
    database.fails = True
    failed = await batcher.submit(number(1))
    assert isinstance(failed.error, IntakeFailed)
    database.fails = False
    assert (await batcher.submit(number(2))).accepted_sequence == 2


async def test_a_report_whose_agent_went_away_is_left_out(
    batcher: Batcher, database: Database
) -> None:
    gone = asyncio.create_task(batcher.submit(number(1)))
    await asyncio.sleep(0)
    gone.cancel()
    await batcher.submit(number(2))
    assert database.passes == [[2]]
