"""Golden renderings of what people read."""

import pytest

from hotswap.node.progress import SENTENCES, event_line, fit, living_line, measure, significant
from hotswap.node.view import JobView, RankView
from hotswap.wire.messages import Notice

FULL = JobView(
    world_size=2,
    epoch=3,
    leader="coordinator-0",
    committed=57,
    loss=2.34567,
    step_s=0.4234,
    reported={"validation_loss": 2.5},
    ranks={
        0: RankView(member="node-0", protection="protected", lag_steps=0),
        1: RankView(member="standby-0", protection="protected", lag_steps=2),
    },
)


@pytest.mark.parametrize(
    ("view", "line"),
    [
        (
            FULL,
            (
                "step 57 · loss 2.3457 · validation loss 2.50 · step time 0.423 s"
                " · protected 2 of 2, lag 0 to 2 · epoch 3 · leader coordinator-0"
            ),
        ),
        (
            JobView(world_size=2),
            (
                "step unknown · loss unknown · step time unknown · protected unknown of 2"
                " · epoch unknown · leader unknown"
            ),
        ),
        (
            JobView(
                world_size=1,
                committed=0,
                ranks={0: RankView(protection="protected")},
                swap="swap of rank 0: verifying",
            ),
            (
                "step 0 · loss unknown · step time unknown · protected 1 of 1, lag unknown"
                " · epoch unknown · leader unknown · swap of rank 0: verifying"
            ),
        ),
        (
            JobView(
                world_size=1, committed=9, loss=0.0, ranks={0: RankView(protection="unprotected")}
            ),
            (
                "step 9 · loss 0.0000 · step time unknown · protected 0 of 1 · epoch unknown"
                " · leader unknown"
            ),
        ),
    ],
)
def test_the_living_line_says_unknown_and_never_zero(view: JobView, line: str) -> None:
    assert living_line(view) == line


@pytest.mark.parametrize(
    ("notice", "line"),
    [
        (Notice(kind="committed", epoch=1, step=3), None),
        (Notice(kind="swap_phase", epoch=1, rank=3, text="binding"), None),
        (
            Notice(
                kind="swap_completed",
                epoch=2,
                rank=3,
                member="standby-0",
                step=57,
                values={"pause_ms": 3.12, "steps_lost": 0.0, "commit_gap_ms": 410.0},
            ),
            (
                "rank 3 changed hands to standby-0 at step 57:"
                " pause 3.12 ms, steps lost 0, commit gap 410 ms"
            ),
        ),
        (
            Notice(kind="swap_completed", epoch=2, rank=3, member="standby-0"),
            "rank 3 changed hands to standby-0: pause unknown, steps lost unknown",
        ),
        (
            Notice(
                kind="unplanned_completed",
                epoch=3,
                rank=1,
                member="standby-1",
                step=80,
                text="node-1 was killed by signal 9",
                values={"stall_ms": 212.4, "steps_lost": 0.0},
            ),
            (
                "rank 1 was taken over by standby-1 at step 80: node-1 was killed by signal 9;"
                " stall 212 ms, steps lost 0"
            ),
        ),
        (
            Notice(kind="swap_aborted", epoch=1, rank=3, text="standby-0 was lost"),
            "the swap of rank 3 was given up, the job is untouched: standby-0 was lost",
        ),
        (
            Notice(kind="protection_lost", epoch=1, rank=2, text="the mirror fell silent"),
            "rank 2 is not protected any more: the mirror fell silent",
        ),
        (
            Notice(kind="mirror_complete", epoch=1, rank=2, member="standby-0"),
            "rank 2 is protected by standby-0",
        ),
        (
            Notice(kind="elected", epoch=1, member="coordinator-1", values={"election_ms": 312.0}),
            "coordinator-1 leads: election 312 ms",
        ),
        (
            Notice(kind="elected", epoch=0, member="coordinator-0"),
            "coordinator-0 leads",
        ),
        (
            Notice(kind="member_lost", epoch=1, member="node-3", text="no heartbeat for 3 s"),
            "node-3 is lost: no heartbeat for 3 s",
        ),
        (
            Notice(kind="restored", epoch=4, step=40, values={"steps_lost": 12.0}),
            "resumed from a checkpoint at step 40: steps lost 12",
        ),
        (
            Notice(kind="something_new", epoch=1, text="of a later version"),
            "something new: of a later version",
        ),
    ],
)
def test_what_happens_is_one_readable_line(notice: Notice, line: str | None) -> None:
    assert event_line(notice) == line


def test_every_documented_kind_has_a_sentence_or_is_in_the_living_line() -> None:
    documented = (Notice.__doc__ or "").partition("``kind``:")[2].replace("\n", " ").strip(" .")
    kinds = {kind.strip() for kind in documented.split(",")}
    assert "swap_completed" in kinds
    assert kinds == set(SENTENCES) | {"committed", "swap_phase"}


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (3.0, "3"), (0.0123, "0.012"), (1.234, "1.23"), (12.34, "12.3"), (1234.5, "1234")],
)
def test_numbers_have_three_significant_digits(value: float, text: str) -> None:
    assert significant(value) == text


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("pause_ms", 12.34, "pause 12.3 ms"),
        ("protect_s", 2.0, "protect 2 s"),
        ("copied_bytes", 1024.0, "copied 1024 bytes"),
        ("samples_lost", 0.0, "samples lost 0"),
        ("pause_ms", None, "pause unknown"),
        ("s", 1.0, "s 1"),
        ("loss", float("nan"), "loss nan"),
        ("loss", float("inf"), "loss inf"),
    ],
)
def test_a_measure_shows_its_unit(name: str, value: float | None, text: str) -> None:
    assert measure(name, value) == text


def test_a_line_that_is_too_long_is_cut_visibly() -> None:
    assert fit("abcdef", 6) == "abcdef"
    assert fit("abcdefg", 6) == "abcde…"
    assert fit("abc", 0) == "…"
