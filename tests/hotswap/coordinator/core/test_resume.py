"""Where a job goes on after an epoch has died, and who owns which rank."""

from typing import Literal

from hotswap.coordinator.core.resume import Lost, Resume, Situation, decide_resume
from hotswap.wire.messages import Holding


def holding(
    rank: int,
    version: int,
    *,
    pending: bool = False,
    kind: Literal["owner", "mirror", "retired"] = "owner",
    intact: bool = True,
    complete: bool = True,
) -> Holding:
    """Return a state that a member reports."""
    return Holding(
        rank=rank, version=version, pending=pending, kind=kind, intact=intact, complete=complete
    )


def decide(
    holdings: dict[str, list[Holding]], *, committed: int = 5, spares: tuple[str, ...] = ()
) -> Resume | Lost:
    """Decide for two ranks: rank 0 is owned by a, the owner of rank 1 is lost."""
    return decide_resume(
        Situation(
            owners=["a", None],
            heirs={1: ("s", "t")},
            holdings=holdings,
            committed=committed,
            restored_epoch=0,
            spares=spares,
        )
    )


def test_a_step_that_nobody_applied_is_repeated() -> None:
    found = decide(
        {"a": [holding(0, 5, pending=True)], "s": [holding(1, 5, pending=True, kind="mirror")]}
    )
    assert found == Resume(owners=("a", "s"), committed=5, certain=True)


def test_a_step_that_anybody_applied_is_rolled_forward_to() -> None:
    found = decide({"a": [holding(0, 6)], "s": [holding(1, 5, pending=True, kind="mirror")]})
    assert found == Resume(owners=("a", "s"), committed=6, certain=True)


def test_a_mirror_that_heard_of_the_commit_counts_as_somebody() -> None:
    found = decide({"a": [holding(0, 5, pending=True)], "s": [holding(1, 6, kind="mirror")]})
    assert found == Resume(owners=("a", "s"), committed=6, certain=True)


def test_a_mirror_that_is_behind_is_not_swapped_in() -> None:
    found = decide({"a": [holding(0, 6)], "s": [holding(1, 5, kind="mirror")]})
    assert found == Lost(ranks=(1,), committed=6, certain=True)


def test_a_mirror_that_differed_or_lacks_a_unit_is_not_swapped_in() -> None:
    for fault in ({"intact": False}, {"complete": False}):
        found = decide({"a": [holding(0, 5)], "s": [holding(1, 5, kind="mirror", **fault)]})
        assert found == Lost(ranks=(1,), committed=5, certain=True)


def test_the_next_mirror_takes_over_where_the_first_cannot() -> None:
    found = decide(
        {
            "a": [holding(0, 5)],
            "s": [holding(1, 4, kind="mirror")],
            "t": [holding(1, 5, kind="mirror")],
        }
    )
    assert found == Resume(owners=("a", "t"), committed=5, certain=True)


def test_before_the_first_step_any_process_will_do() -> None:
    found = decide({"a": [holding(0, 0)], "u": []}, committed=0, spares=("u",))
    assert found == Resume(owners=("a", "u"), committed=0, certain=True)
