"""The main job, as two people would do it: a node gets worse, a swap is proposed, one approves.

Every word is printed from what the API answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dev.demo.agents import WORSENING, worsen
from dev.stack.supervisor import PartFailed

if TYPE_CHECKING:
    from dev.demo.client import Person
    from dev.demo.world import World

#: Starting torch six times on a busy machine, and copying each rank's state once, s.
JOB_S: Final = 300.0
#: From the first bad signal until a swap is proposed, s.
PROPOSAL_S: Final = 120.0
#: From the approval to the end of the watch, s.
SWAP_S: Final = 300.0
GOOD: Final = "completed"
OVER: Final = frozenset(
    {"completed", "failed", "aborted", "refused", "expired", "deviated"},
)


def wait_protected(world: World, otto: Person, job: str) -> dict[str, Any]:
    """Wait until the job trains and a mirror keeps every rank's state.

    Raises PartFailed when it comes to its end before.
    """
    last: dict[str, Any] = {}

    def protected() -> dict[str, Any] | None:
        last.update(otto.get(f"jobs/{job}"))
        if last["ended_at"] is not None:
            logs = world.layout.directory / "jobs"
            message = f"the job has {last['state']}: {last['end_reason']}; its logs are in {logs}"
            raise PartFailed(message)
        # the first validation: from then on there is a curve to watch
        ready = last["protection"] == "protected" and last["validation_loss"] is not None
        return last if ready else None

    return world.wait(
        protected, "job trains, protected", wait_s=JOB_S, detail=lambda: _progress(last)
    )


def worsen_and_wait(world: World, otto: Person, job: str) -> dict[str, Any]:
    """Let the node get worse; return the swap that is proposed for its rank."""
    worsen(world.layout.directory)
    return world.wait(
        lambda: next(
            (swap for swap in otto.every("swaps", job=job) if swap["state"] not in OVER), None
        ),
        f"{WORSENING} gets worse (simulated)",
        wait_s=PROPOSAL_S,
        detail=lambda: _grade(otto),
    )


def approve(world: World, ada: Person, swap: str) -> dict[str, Any]:
    """Approve exactly what is planned, as the second person; return the request."""

    def waiting() -> dict[str, Any] | None:
        rows = ada.every("approvals", state="pending")
        return next((row for row in rows if row["subject_id"] == swap), None)

    request = world.wait(waiting, "plan to approve", wait_s=PROPOSAL_S)
    world.screen.say(f"    {request['summary']}")
    answer = ada.post(f"approvals/{request['id']}/approve", plan_digest=request["plan_digest"])
    world.screen.say(f"    ada approves {request['plan_digest'][:19]}...")
    return dict(answer)


def wait_over(world: World, otto: Person, swap: str) -> dict[str, Any]:
    """Show each phase of a swap as it begins; return the swap when it is over."""
    seen: list[str] = []
    last: dict[str, Any] = {}

    def over() -> dict[str, Any] | None:
        last.update(otto.get(f"swaps/{swap}"))
        if last["state"] not in seen:
            seen.append(last["state"])
            world.screen.say(f"    {last['state'].replace('_', ' ')}")
        return last if last["state"] in OVER else None

    return world.wait(
        over, "swap", wait_s=SWAP_S, detail=lambda: str(last.get("state", "")).replace("_", " ")
    )


def story(world: World, otto: Person, ada: Person, root: Person, job: str) -> bool:
    """Tell the story to its end; whether it ended as it should."""
    swap = worsen_and_wait(world, otto, job)
    world.screen.say(f"    proposed: rank {swap['rank']}, because {swap['reason']}")
    approve(world, ada, swap["id"])
    swap = wait_over(world, otto, swap["id"])
    world.screen.say(
        f"    {swap['state']}: paused {_ms(swap['pause_ms'])}, steps lost {swap['steps_lost']}"
    )
    audit = root.post("audit/verify")
    world.screen.say(
        f"    audit: {audit['entries']} entries, {'good' if audit['ok'] else 'BROKEN'}"
    )
    return swap["state"] == GOOD and bool(audit["ok"])


def _progress(job: dict[str, Any]) -> str:
    if not job:
        return ""
    return f"{job['state']}, step {job['committed_step']}, {job['protection'].replace('_', ' ')}"


def _grade(otto: Person) -> str:
    rows = otto.every("nodes", search=WORSENING)
    return f"grade {rows[0]['grade']}" if rows else ""


def _ms(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1f} ms"
