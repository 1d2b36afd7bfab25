"""What the launcher knows of a job is what it was told, and nothing else."""

from hotswap.node.view import JobView, RankView, with_notice, with_status
from hotswap.wire.messages import Notice, RankStatus, Status

NEW = JobView(world_size=2)


def committed(step: int, **values: float) -> Notice:
    return Notice(kind="committed", epoch=1, step=step, values=values)


def status(
    *ranks: RankStatus, committed: int = 0, epoch: int = 1, swap: str | None = None
) -> Status:
    return Status(
        job="gpt-1",
        leader="coordinator-0",
        token=1,
        phase="running",
        epoch=epoch,
        committed=committed,
        world_size=2,
        ranks=ranks,
        standbys=("standby-0",),
        swap=swap,
        swap_phase="verifying" if swap else None,
    )


def test_nothing_is_known_at_first() -> None:
    known = (NEW.epoch, NEW.leader, NEW.committed, NEW.loss, NEW.step_s, NEW.swap)
    assert known == (None,) * 6
    assert NEW.protected is None
    assert NEW.lag_steps is None


def test_a_committed_step_tells_step_loss_and_time() -> None:
    view = with_notice(NEW, committed(41, loss=2.5, step_s=0.4))
    assert (view.committed, view.loss, view.step_s, view.epoch) == (42, 2.5, 0.4, 1)


def test_a_step_that_reports_no_loss_makes_the_loss_unknown_again() -> None:
    view = with_notice(with_notice(NEW, committed(0, loss=2.5)), committed(1))
    assert (view.committed, view.loss) == (2, None)


def test_what_the_script_reports_besides_stays_until_it_reports_it_again() -> None:
    view = with_notice(NEW, committed(0, loss=2.5, validation_loss=2.75, samples=32.0, ranks=2.0))
    assert view.reported == {"validation_loss": 2.75}
    assert with_notice(view, committed(1, loss=2.25)).reported == {"validation_loss": 2.75}


def test_a_job_that_went_back_to_a_checkpoint_counts_from_there() -> None:
    view = with_notice(with_notice(NEW, committed(57, loss=2.0)), committed(58, loss=2.0))
    view = with_notice(view, Notice(kind="restored", epoch=4, step=40))
    assert (view.committed, view.loss) == (40, None)
    assert with_notice(view, committed(40, loss=2.5)).committed == 41


def test_a_notice_that_arrives_late_takes_nothing_back() -> None:
    view = with_notice(NEW, committed(10, loss=2.0))
    assert with_notice(view, committed(3, loss=9.0)) == view


def test_protection_is_unknown_as_long_as_that_of_one_rank_is() -> None:
    view = with_notice(NEW, Notice(kind="mirror_complete", epoch=1, rank=0, member="standby-0"))
    assert view.protected is None
    view = with_notice(view, Notice(kind="protection_lost", epoch=1, rank=1))
    assert view.protected == 1


def test_a_snapshot_tells_the_protection_and_lag_of_each_rank() -> None:
    view = with_status(
        NEW,
        status(
            RankStatus(rank=0, member="node-0", committed=7, protection="protected", lag_steps=1),
            RankStatus(rank=1, member="node-1", committed=7, protection="catching_up"),
            committed=7,
        ),
    )
    assert view.protected == 1
    assert view.lag_steps == (1, 1)
    assert view.rank(0) == RankView(member="node-0", protection="protected", lag_steps=1)
    assert (view.leader, view.committed) == ("coordinator-0", 7)


def test_a_snapshot_from_before_the_first_epoch_tells_no_step() -> None:
    view = with_status(NEW, status(epoch=0))
    assert view.epoch is None
    assert view.committed is None


def test_a_swap_is_known_from_its_first_phase_to_its_end() -> None:
    phase = Notice(kind="swap_phase", epoch=1, rank=1, text="verifying")
    assert with_notice(NEW, phase).swap == "swap of rank 1: verifying"
    for kind in ("swap_completed", "swap_aborted"):
        assert with_notice(with_notice(NEW, phase), Notice(kind=kind, epoch=2, rank=1)).swap is None
    assert with_status(with_notice(NEW, phase), status()).swap is None
    assert with_status(NEW, status(swap="swap-1")).swap == "swap: verifying"


def test_a_new_leader_is_known_when_it_is_elected() -> None:
    assert with_notice(NEW, Notice(kind="elected", epoch=0, member="coordinator-1")).leader == (
        "coordinator-1"
    )
