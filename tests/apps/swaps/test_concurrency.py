"""Two drivers, and reports that come in meanwhile: one history, and nobody waits in a circle."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest
from django.db import connection, transaction

from apps.audit.models import AuditEntry
from apps.audit.selectors import audit_verify
from apps.fleet.models import Node
from apps.jobs.models import Command
from apps.swaps.models import Swap, SwapEvent
from apps.swaps.services.driving import swap_advance, swaps_due
from apps.swaps.services.following import job_follow, jobs_behind
from tests.apps.swaps.runtime import Runtime
from tests.apps.swaps.world import World

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(300),
    pytest.mark.postgresql,
]

DRIVERS = 2
#: Longest wait for anything here, s: a busy machine may take its time.
WAIT_S = 120


@contextmanager
def beside(*works: Callable[[threading.Event], None]) -> Iterator[None]:
    """Do several things in threads of their own, each with a connection, until the block ends."""
    stop = threading.Event()
    faults: list[BaseException] = []

    def run(work: Callable[[threading.Event], None]) -> None:
        try:
            work(stop)
        except BaseException as fault:  # noqa: BLE001 - raised below
            faults.append(fault)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(WAIT_S)
    assert not any(thread.is_alive() for thread in threads)
    if faults:
        raise faults[0]


def driver_of(world: World) -> Callable[[threading.Event], None]:
    """Return what a worker does, without pause and without its way of getting over faults."""

    def drive(stop: threading.Event) -> None:
        while not stop.is_set():
            for job_id in jobs_behind():
                job_follow(job_id=job_id, now=world.now)
            for swap_id in swaps_due(now=world.now):
                swap_advance(swap_id=swap_id, now=world.now)

    return drive


def wait(done: Callable[[], bool]) -> None:
    until_s = time.monotonic() + WAIT_S
    while not done():
        assert time.monotonic() < until_s, "waited in vain"
        time.sleep(0.01)


def check_history(swap: Swap) -> None:
    """Check that everything happened once, in a row, and stands in the audit chain once."""
    events = list(SwapEvent.objects.filter(swap=swap).order_by("sequence"))
    assert [each.sequence for each in events] == list(range(1, swap.events_count + 1))
    for before, after in pairwise(events):
        assert after.from_state == before.to_state
    moves = Counter(each.action for each in events if each.from_state != each.to_state)
    assert set(moves.values()) == {1}, moves
    audited = AuditEntry.objects.filter(subject=f"swap:{swap.id}").order_by("sequence")
    assert [each.action for each in audited] == [f"swap.{each.action}" for each in events]
    verdict = audit_verify(tenant_id=swap.tenant_id)
    assert verdict.ok, verdict.problem


def test_a_planned_swap_is_driven_once() -> None:
    world = World()
    runtime = Runtime(world)
    world.grade("n3", "high")
    with beside(*[driver_of(world)] * DRIVERS):
        swap = world.propose()
        wait(lambda: world.swap(swap.id).state == "awaiting_approval")
        world.approve(world.swap(swap.id))
        wait(lambda: runtime.take_commands() > 0)
        for _ in range(7):
            runtime.go_on()
            runtime.report(keep=True)
        runtime.commit(10)
        for _ in range(5):  # the same again and again
            runtime.report(keep=True)
        wait(lambda: world.swap(swap.id).state == "completed")
    assert Command.objects.filter(kind="swap").count() == 1
    check_history(world.swap(swap.id))
    assert (world.node("n3").state, world.node("n5").is_spare) == ("quarantined", False)


def test_a_loss_in_the_middle_of_a_swap_makes_one_takeover() -> None:
    world = World()
    runtime = Runtime(world)
    with beside(*[driver_of(world)] * DRIVERS):
        swap = world.propose()
        wait(lambda: world.swap(swap.id).state == "awaiting_approval")
        world.approve(world.swap(swap.id))
        wait(lambda: runtime.take_commands() > 0)
        runtime.go_on(2)
        runtime.lose(2)
        for _ in range(5):
            runtime.report(keep=True)
        wait(lambda: Swap.objects.filter(kind="unplanned", state="watching").exists())
        wait(lambda: world.swap(swap.id).state == "failed")
    (takeover,) = Swap.objects.filter(kind="unplanned")
    assert Command.objects.filter(kind="swap").count() == 1
    for each in (world.swap(swap.id), takeover):
        check_history(each)


def test_both_nodes_of_a_swap_are_locked_in_the_order_of_reports() -> None:
    world = World()
    runtime = Runtime(world)
    world.grade("n3", "high")
    swap = world.begun()
    runtime.take_commands()
    runtime.go_on(7)
    runtime.report()
    first, second = sorted((world.nodes["n3"].id, world.nodes["n5"].id))
    is_locked = threading.Event()

    def advance(_stop: threading.Event) -> None:
        assert is_locked.wait(WAIT_S)
        swap_advance(swap_id=swap.id, now=world.now)

    with beside(advance), transaction.atomic():
        # as a batch of reports does that changes the grades of both
        nodes = Node.objects.select_for_update(no_key=True, nowait=True)
        nodes.get(id=first)
        is_locked.set()
        wait(somebody_waits)
        nodes.get(id=second)
    assert world.swap(swap.id).state == "watching"


def somebody_waits() -> bool:
    """Tell whether a transaction waits for another one's lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])
