"""The number of steps of a run becomes known while it goes on."""

from pathlib import Path

from benchmarks.lab.open_ended import Until


def test_a_run_has_no_end_until_it_is_told_one(tmp_path: Path) -> None:
    steps, until = 100, Until.from_file(tmp_path / "last")
    assert not (steps >= until)
    assert steps < until
    (tmp_path / "last").write_text("100")
    assert steps >= until
    assert steps - 1 < until
    assert not (steps < until)
