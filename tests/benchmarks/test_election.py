"""The election is measured with real processes, and the figures are what they are called."""

import pytest

from benchmarks.election import measure


@pytest.mark.slow_processes
@pytest.mark.timeout(400)
def test_every_figure_is_measured_and_none_is_made_up(capsys: pytest.CaptureFixture[str]) -> None:
    figures = measure(2, seed=7)
    assert set(figures) == {
        f"{name}_{quantile}"
        for name in ("election_ms", "election_frozen_ms")
        for quantile in ("p50", "p99", "max")
    }
    for name in ("election_ms", "election_frozen_ms"):
        assert 0 < figures[f"{name}_p50"] <= figures[f"{name}_p99"] <= figures[f"{name}_max"]
    assert "seed 7" in capsys.readouterr().err
