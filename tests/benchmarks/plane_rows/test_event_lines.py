"""A job's pace, by what its leaders have written down."""

from benchmarks.plane_rows.event_lines import Commit, commits, pace, unheard


def commit(step: int, at_s: float) -> Commit:
    return Commit(epoch=1, step=step, at_s=at_s)


def test_only_committed_steps_are_commits() -> None:
    event = {"epoch": 2, "step": 7, "monotonic_s": 1.5}
    events = [{**event, "kind": "committed"}, {**event, "kind": "swap_phase"}]
    assert commits(events) == [Commit(epoch=2, step=7, at_s=1.5)]


def test_the_pace_counts_steps_of_which_no_leader_has_heard() -> None:
    # nobody led between 1 and 5 s
    found = [commit(0, 0.0), commit(1, 1.0), commit(5, 5.0), commit(6, 6.0)]
    assert pace(found, from_s=1.5, until_s=4.5) == 1.0
    assert unheard(found) == 3


def test_without_a_step_afterwards_the_pace_is_not_known() -> None:
    assert pace([commit(0, 0.0)], from_s=0.5, until_s=1.0) is None
    assert unheard([]) == 0
