"""The whole workflow under a runtime that answers, repeats itself, drops things and dies.

Whatever happens, in whatever order: the database's rules hold, history is a way through the table,
and once everybody is back and time has passed, nothing is left open.
"""

import os
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.approvals.models import Request
from apps.approvals.services import approvals_expire
from apps.core.errors import PlaneError
from apps.fleet.models import Node
from apps.jobs.services.commands import commands_expire
from apps.swaps.domain.states import TABLE
from apps.swaps.models import Swap
from apps.swaps.models.swaps import OPEN_STATES
from apps.swaps.services.driving import swap_advance, swaps_due
from apps.swaps.services.following import job_follow
from apps.swaps.services.proposing import swap_abort
from tests.apps.swaps.runtime import Runtime
from tests.apps.swaps.world import World

pytestmark = pytest.mark.django_db

STEPS = (
    "propose",
    "approve",
    "refuse",
    "abort",
    "drive",
    "drive",
    "commands",
    "commands_unanswered",
    "answer",
    "go_on",
    "go_on",
    "commit",
    "report",
    "report",
    "report_twice",
    "report_nothing_but_status",
    "forget",
    "change_leader",
    "give_up",
    "lose_rank",
    "worsen",
    "mend",
    "pass",
    "pass_long",
    "crash",
)


#: Stories; more with HYPOTHESIS_EXAMPLES, as a run at night has the time.
EXAMPLES = int(os.environ.get("HYPOTHESIS_EXAMPLES", "20"))
#: Rounds in which everything must have come to an end.
ROUNDS_MAX = 20


class Story:
    """One run of the world, step by step."""

    def __init__(self) -> None:
        self.world = World()
        self.runtime = Runtime(self.world)

    def take(self, step: str) -> None:
        getattr(self, f"_{step}")()
        self.check()

    # ------------------------------------------------------------------------------------ people

    def _propose(self) -> None:
        self._try(lambda: self.world.propose(2))

    def _approve(self) -> None:
        for swap in Swap.objects.filter(state="awaiting_approval"):
            self._try(lambda swap=swap: self.world.approve(swap))

    def _refuse(self) -> None:
        for swap in Swap.objects.filter(state="awaiting_approval"):
            self._try(lambda swap=swap: self.world.approve(swap, approve=False))

    def _abort(self) -> None:
        for swap in Swap.objects.filter(state__in=OPEN_STATES, kind="planned"):
            wish: dict[str, Any] = {"actor": self.world.otto, "reason": "", "now": self.world.now}
            self._try(lambda swap=swap, wish=wish: swap_abort(swap_id=swap.id, **wish))

    def _try(self, what: Any) -> None:
        try:
            what()
        except (PlaneError, Request.DoesNotExist):
            return

    # ------------------------------------------------------------------------------------- plane

    def _drive(self) -> None:
        now = self.world.now
        approvals_expire(now=now)
        commands_expire(now=now)
        job_follow(job_id=self.world.job.id, now=now)
        for swap_id in swaps_due(now=now):
            swap_advance(swap_id=swap_id, now=now)

    def _crash(self) -> None:
        """The driver dies before its transaction has been committed."""
        with transaction.atomic():
            self._drive()
            transaction.set_rollback(True)

    # ----------------------------------------------------------------------------------- runtime

    def _commands(self) -> None:
        self.runtime.take_commands()

    def _commands_unanswered(self) -> None:
        self.runtime.take_commands(answer=False)

    def _answer(self) -> None:
        self.runtime.answer()

    def _go_on(self) -> None:
        self.runtime.go_on()

    def _commit(self) -> None:
        self.runtime.commit(3)

    def _report(self) -> None:
        self.runtime.report()

    def _report_twice(self) -> None:
        self.runtime.report(keep=True)
        self.runtime.report()

    def _report_nothing_but_status(self) -> None:
        self.runtime.forget()
        self.runtime.report(certify=False)

    def _forget(self) -> None:
        self.runtime.forget()

    def _change_leader(self) -> None:
        self.runtime.change_leader()

    def _give_up(self) -> None:
        self.runtime.abort("standby-4 was not ready within prepare_s = 60 s")

    def _lose_rank(self) -> None:
        if self.runtime.standbys:
            self.runtime.lose(2)

    # -------------------------------------------------------------------------------------- rest

    def _worsen(self) -> None:
        self.world.grade("n3", "critical")

    def _mend(self) -> None:
        self.world.grade("n3", "low")

    def _pass(self) -> None:
        self.world.pass_s(4)

    def _pass_long(self) -> None:
        self.world.pass_s(170)

    # ------------------------------------------------------------------------------------ checks

    def check(self) -> None:
        """Check what must hold after each step."""
        for swap in Swap.objects.all():
            self._check_history(swap)
        open_swaps = Swap.objects.filter(state__in=OPEN_STATES)
        assert open_swaps.filter(rank=2).count() <= 1
        for node in Node.objects.exclude(reserved_for=None):
            held = Swap.objects.get(id=str(node.reserved_for).removeprefix("swap:"))
            assert held.state in OPEN_STATES, f"{node.name} is reserved for what has ended"

    def _check_history(self, swap: Swap) -> None:
        state = ""
        for number, event in enumerate(swap.events.order_by("sequence"), start=1):
            assert event.sequence == number
            assert event.from_state == state
            if state and event.to_state != state:
                assert TABLE.target(event.action, state) == event.to_state
            state = event.to_state
        assert state == swap.state
        if swap.state in OPEN_STATES:
            assert swap.deadline_at is not None
            assert swap.ended_at is None

    def settle(self) -> None:
        """Let everybody come back, and time pass: nothing is left open, and it agrees with fact."""
        for _ in range(ROUNDS_MAX):
            self._commands()
            self.runtime.go_on(7)
            self.runtime.commit(11)
            self._report()
            self._drive()
            if not Swap.objects.filter(state__in=OPEN_STATES).exists():
                break
            self.world.pass_s(400)
        self.check()
        assert not Swap.objects.filter(state__in=OPEN_STATES).exists()
        assert not Node.objects.exclude(reserved_for=None).exists()
        last = Swap.objects.filter(kind="planned", rank=2, target_member="standby-4")
        in_force = self.runtime.owners[2] == "standby-4" and self.runtime.swaps
        for swap in last.filter(state__in=("completed", "deviated")):
            assert in_force, f"{swap} says that the rank has changed hands, and it has not"
        for swap in last.filter(state="aborted").exclude(runtime_swap_id=""):
            moved = self.runtime.certificates.get(swap.runtime_swap_id)
            assert moved is None, f"{swap} says that nothing was changed, and it was"


@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(st.sampled_from(STEPS), max_size=25))
@pytest.mark.timeout(600)
def test_every_story_ends_well(db: None, steps: list[str]) -> None:
    del db
    mark = transaction.savepoint()
    try:
        story = Story()
        for step in ("propose", "drive", *steps):
            story.take(step)
        story.settle()
    finally:
        transaction.savepoint_rollback(mark)
