"""The number of steps of a run becomes known while it goes on."""

from pathlib import Path

from benchmarks.lab.open_ended import Until


def test_a_run_has_no_end_until_it_is_told_one(tmp_path: Path) -> None:
    until = Until.from_file(tmp_path / "last")
    assert not (100 >= until)
    assert 100 < until
    (tmp_path / "last").write_text("100")
    assert 100 >= until
    assert 99 < until
    assert not (100 < until)
