"""The table says what happened, also when it was not much."""

from benchmarks.peers.judge import Verdict
from benchmarks.peers.summary import Report
from benchmarks.peers.table import render


def verdict(
    *, gap_ms: float | None, same: bool, steps_lost: int = 0, finished: bool = True
) -> Verdict:
    return Verdict(
        step_ms=100.0,
        commit_gap_ms=gap_ms,
        new_step_ms=gap_ms,
        full_strength_ms=gap_ms,
        steps_lost=steps_lost,
        samples_lost=0 if same else 6,
        samples_doubled=0,
        same_losses=same,
        same_state=same,
        finished=finished,
    )


def row(text: str, name: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.startswith(f"{name}  ")]
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_a_system_is_one_row_with_median_and_range() -> None:
    verdicts = (
        verdict(gap_ms=500.0, same=True, steps_lost=2),
        verdict(gap_ms=900.0, same=True, steps_lost=2),
        verdict(gap_ms=600.0, same=True, steps_lost=7),
    )
    text = render([Report(name="alpha", configuration="c", verdicts=verdicts)], limit_s=120)
    assert row(text, "alpha") == [
        "alpha",
        "0.60 (0.50 to 0.90)",
        "0.60 (0.50 to 0.90)",
        "2 (2 to 7)",
        "0/0",
        "yes",
        "yes",
        "100",
    ]


def test_one_run_needs_no_range() -> None:
    report = Report(name="alpha", configuration="c", verdicts=(verdict(gap_ms=1.0, same=True),))
    assert "to" not in row(render([report], limit_s=120), "alpha")[1]


def test_what_was_not_reached_says_never_and_no_number() -> None:
    report = Report(name="alpha", configuration="c", verdicts=(verdict(gap_ms=None, same=False),))
    cells = row(render([report], limit_s=120), "alpha")
    assert cells[1:3] == ["never (never to never)", "never (never to never)"]
    assert cells[4:7] == ["6/0", "no", "no"]


def test_runs_that_differ_are_counted() -> None:
    verdicts = (verdict(gap_ms=1.0, same=True), verdict(gap_ms=1.0, same=False))
    report = Report(name="alpha", configuration="c", verdicts=verdicts)
    assert row(render([report], limit_s=120), "alpha")[5:7] == ["1 of 2", "1 of 2"]


def test_a_system_that_was_not_run_has_a_row_and_its_reason() -> None:
    report = Report(name="alpha", configuration="c", reasons=("not run: no network",))
    text = render([report], limit_s=120)
    assert row(text, "alpha") == ["alpha", "no result"]
    assert "! not run: no network" in text


def test_the_same_reason_is_given_once() -> None:
    report = Report(name="alpha", configuration="c", reasons=("it died", "it died"))
    assert render([report], limit_s=120).count("it died") == 1


def test_a_system_that_computes_otherwise_when_undisturbed_is_pointed_out() -> None:
    report = Report(
        name="alpha",
        configuration="c",
        verdicts=(verdict(gap_ms=1.0, same=False),),
        undisturbed=verdict(gap_ms=0.0, same=False),
    )
    assert "even when undisturbed" in render([report], limit_s=120)


def test_a_run_that_was_cut_short_says_so_and_not_that_it_differs() -> None:
    cut = verdict(gap_ms=1.0, same=False, finished=False)
    report = Report(name="alpha", configuration="c", verdicts=(cut,), undisturbed=cut)
    text = render([report], limit_s=120)
    assert row(text, "alpha")[5:7] == ["unfinished", "unfinished"]
    assert "even when undisturbed" not in text
