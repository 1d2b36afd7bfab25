"""Golden renderings of what commands print."""

from hotswap.node.evidence import Check
from hotswap.node.report import check_lines, job_lines, status_lines, table
from hotswap.node.run_record import JobSummary
from hotswap.wire.messages import RankStatus, Status

STATUS = Status(
    job="gpt-1",
    leader="coordinator-1",
    token=2,
    phase="recovering",
    epoch=3,
    committed=57,
    world_size=2,
    ranks=(
        RankStatus(
            rank=0,
            member="node-0",
            committed=57,
            protection="protected",
            mirrors=("standby-0",),
            lag_steps=0,
            prepared=("standby-0",),
        ),
        RankStatus(rank=1, member=None, committed=None, protection="unprotected"),
    ),
    standbys=("standby-0", "standby-1"),
    swap="swap-1",
    swap_phase="in_force",
    election_s=0.3124,
)


def test_a_status_says_unknown_where_nothing_is_known() -> None:
    assert status_lines(STATUS) == [
        "job gpt-1: recovering, epoch 3, 57 steps committed",
        "leader coordinator-1 (election: 312 ms)",
        "standbys standby-0, standby-1",
        "swap swap-1: in force",
        "",
        "RANK  OWNER    STEPS    PROTECTION   LAG      MIRRORS",
        "0     node-0   57       protected    0        standby-0 (model built)",
        "1     unknown  unknown  unprotected  unknown  none",
    ]


def test_a_job_before_its_first_epoch_has_no_steps() -> None:
    status = Status(
        job="gpt-1",
        leader="",
        token=1,
        phase="waiting_for_members",
        epoch=0,
        committed=0,
        world_size=1,
        ranks=(),
        standbys=(),
    )
    assert status_lines(status)[:3] == [
        "job gpt-1: waiting for members, no epoch yet",
        "leader unknown (election: none needed so far)",
        "standbys none",
    ]


def test_jobs_are_a_table_and_what_is_not_known_says_so() -> None:
    jobs = [
        JobSummary(
            job="gpt-1",
            state="running",
            ranks=4,
            standbys=1,
            script="/s/gpt.py",
            started_unix_s=1.0,
            committed=None,
            reason=None,
        )
    ]
    assert job_lines(jobs) == [
        "JOB    STATE    RANKS  STANDBYS  STEPS    SCRIPT",
        "gpt-1  running  4      1         unknown  /s/gpt.py",
    ]


def test_without_jobs_the_answer_is_how_to_start_one() -> None:
    (line,) = job_lines([])
    assert "hotswap run" in line


def test_a_failed_check_stands_out() -> None:
    checks = [
        Check(question="signed", verdict="unknown", detail="carries no signature"),
        Check(question="same state", verdict="failed"),
        Check(question="nothing lost", verdict="ok"),
    ]
    assert check_lines(checks) == [
        "  unknown  signed: carries no signature",
        "  FAILED   same state",
        "  ok       nothing lost",
    ]


def test_columns_fit_their_longest_cell() -> None:
    assert table(("A", "LONG"), [("longer", 1)]) == ["A       LONG", "longer  1"]
