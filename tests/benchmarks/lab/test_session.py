"""When a disturbed run counts as its undisturbed twin's equal."""

from benchmarks.lab.job import Outcome
from benchmarks.lab.session import identical

TWIN = Outcome(losses={(0, 0): "a", (0, 1): "b"}, digests={0: "d"}, notices=[], code=0)


def outcome(losses: dict[tuple[int, int], str], digests: dict[int, str]) -> Outcome:
    return Outcome(losses=losses, digests=digests, notices=[], code=0)


def test_a_loss_that_died_with_its_writer_is_no_difference() -> None:
    assert identical(outcome({(0, 0): "a"}, {0: "d"}), TWIN)


def test_another_loss_a_step_too_many_or_another_state_is_one() -> None:
    assert not identical(outcome({(0, 0): "x"}, {0: "d"}), TWIN)
    assert not identical(outcome({(0, 2): "a"}, {0: "d"}), TWIN)
    assert not identical(outcome({(0, 0): "a"}, {0: "x"}), TWIN)
    assert not identical(outcome({(0, 0): "a"}, {}), TWIN)
