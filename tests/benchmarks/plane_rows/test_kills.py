"""Which kills are made, and how they are shown."""

from apps.swaps.domain.states import TABLE
from benchmarks.plane_rows.kills import FULL, PROCESSES, QUICK, Outcome, table


def test_the_full_form_kills_each_process_in_each_state_that_a_swap_leaves() -> None:
    assert len(FULL.cases) == len(set(FULL.cases)) == len(PROCESSES) * len(TABLE.open_states)


def test_the_quick_form_kills_each_process() -> None:
    assert {process for _, process in QUICK.cases} == set(PROCESSES)
    states = [state for state, _ in QUICK.cases]
    assert states == sorted(states, key=TABLE.states.index), "those of a state share a job"


def test_the_table_has_a_row_for_each_state_and_marks_what_is_wrong() -> None:
    good = Outcome(
        state="taking_over", process="web", end="completed", why="", wrong=(), took_s=1.26
    )
    bad = Outcome(
        state="taking_over", process="beat", end="failed", why="so", wrong=("no",), took_s=None
    )
    head, rule, row = table([good, bad]).splitlines()
    assert head.count("|") == rule.count("|") == row.count("|") == len(PROCESSES) + 2
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells == ["taking over", "completed 1.3 s", "", "", "", "**WRONG** failed", *[""] * 4]
