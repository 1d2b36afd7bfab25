"""What the demo says about the cost is what was measured."""

from demo_runtime import Disturbance, commit_gap_ms, commits, cost_line

from hotswap.coordinator.event_log import Event


def event(kind: str, at_s: float, **values: float) -> Event:
    return Event(
        at="2026-01-01T00:00:00+00:00",
        monotonic_s=at_s,
        leader="coordinator-0",
        token=1,
        kind=kind,
        epoch=1,
        rank=1,
        member="standby-0",
        values=values,
    )


STEPS = [event("committed", at_s) for at_s in (10.0, 10.5, 11.0, 13.0, 13.5, 14.0)]


def test_the_commit_gap_is_what_the_longest_step_around_the_moment_took_more_than_others() -> None:
    assert commit_gap_ms(commits(STEPS), since_s=11.2, until_s=11.4) == 1500.0
    assert commit_gap_ms(commits(STEPS), since_s=13.6, until_s=13.7) == 0.0


def test_without_commits_around_it_the_gap_is_unknown() -> None:
    assert commit_gap_ms([], since_s=1.0, until_s=2.0) is None
    assert commit_gap_ms(commits(STEPS), since_s=20.0, until_s=21.0) is None


def test_a_planned_swap_costs_its_pause() -> None:
    notice = event("swap_completed", 11.5, pause_ms=3.12, steps_lost=0.0)
    planned = Disturbance(title="planned swap", notice=notice, since_s=11.2)
    assert cost_line(STEPS, planned) == (
        "rank 1 went to standby-0: pause 3.12 ms, commit gap 1500 ms, steps lost 0"
    )


def test_a_loss_costs_the_time_until_every_rank_computes_again() -> None:
    notice = event("unplanned_completed", 11.5, stall_ms=290.0)
    killed = Disturbance(title="killed", notice=notice, since_s=11.25)
    assert cost_line(STEPS, killed) == (
        "rank 1 went to standby-0: stall 250 ms, recomputed at most 250 ms, commit gap 1500 ms,"
        " steps lost unknown"
    )
