"""A band says beforehand what the loss may do."""

import math

from hypothesis import given
from hypothesis import strategies as st

from apps.swaps.domain.band import Band, Finding, Point, band_judge, band_register

BAND = Band(series="validation_loss", centre=2.0, half_width=0.5, rule="", points=20)


def points(*losses: float) -> list[Point]:
    return [Point(step=step, loss=loss) for step, loss in enumerate(losses)]


def judged(watched: list[Point]) -> Finding:
    return band_judge(band=BAND, points=watched, last_step=10).finding


def test_a_steady_loss_gives_a_band_of_a_share_of_it() -> None:
    band = band_register(series="loss", points=points(*[2.0] * 20), watch_steps=10)
    assert band is not None
    assert (band.centre, band.half_width, band.points) == (2.0, 0.1, 20)


def test_a_falling_loss_is_expected_to_go_on_falling() -> None:
    falling = points(*[4.0 - 0.01 * step for step in range(20)])
    band = band_register(series="loss", points=falling, watch_steps=10)
    assert band is not None
    # 3.81 at the last step, 0.1 lower after ten more
    assert band.centre == 3.71
    assert band.holds(3.81)
    assert not band.holds(4.2)


def test_one_outlier_moves_the_band_hardly() -> None:
    noisy = points(*[2.0] * 10, 50.0, *[2.0] * 9)
    band = band_register(series="loss", points=noisy, watch_steps=10)
    assert band is not None
    assert band.centre == 2.0


def test_too_few_points_give_no_band() -> None:
    few = points(2.0, 2.0, 2.0, math.nan, math.inf)
    assert band_register(series="loss", points=few, watch_steps=10) is None


def test_only_the_last_points_count() -> None:
    old = points(*[9.0] * 100, *[2.0] * 20)
    band = band_register(series="loss", points=old, watch_steps=10)
    assert band is not None
    assert band.centre == 2.0


def test_a_point_outside_is_doubtful_and_a_second_one_has_left() -> None:
    assert judged(points(2.0, 2.6)) is Finding.DOUBTFUL
    assert judged(points(2.0, 2.6, 1.4)) is Finding.LEFT
    assert judged(points(2.6, 2.0)) is Finding.INSIDE
    assert judged([]) is Finding.UNKNOWN


def test_what_is_no_number_has_left_at_once() -> None:
    assert judged(points(2.0, math.nan)) is Finding.LEFT
    assert judged(points(2.0, math.inf)) is Finding.LEFT


def test_points_after_the_watch_count_only_while_the_question_is_open() -> None:
    def at(**losses: float) -> list[Point]:
        return [Point(step=int(name[1:]), loss=loss) for name, loss in losses.items()]

    assert judged(at(s9=2.0, s500=0.9, s501=0.9)) is Finding.INSIDE
    assert judged(at(s9=2.6, s500=2.0, s501=0.9, s502=0.9)) is Finding.INSIDE
    assert judged(at(s9=2.6, s500=0.9)) is Finding.LEFT
    assert judged(at(s500=2.0, s501=0.9, s502=0.9)) is Finding.INSIDE
    assert judged(at(s500=0.9, s501=0.9)) is Finding.LEFT


def test_a_band_goes_along_its_line_to_where_the_watch_ends() -> None:
    falling = points(*[4.0 - 0.01 * step for step in range(20)])
    registered = band_register(series="loss", points=falling, watch_steps=10)
    assert registered is not None
    assert registered.taken_to(29) == registered
    # 3.81 at the last step known, 1.0 lower after a hundred more
    later = registered.taken_to(119)
    assert (later.centre, later.half_width) == (2.81, 1.0)
    assert BAND.taken_to(500) == BAND


def test_points_that_are_told_first_of_long_after_the_watch_are_held_to_the_line_there() -> None:
    band = band_register(
        series="loss", points=points(*[4.0 - 0.001 * step for step in range(20)]), watch_steps=10
    )
    assert band is not None
    # a thousand steps later: between where the loss was and twice as far down its line
    for losses, finding in (((3.0, 2.99), Finding.INSIDE), ((4.6, 4.6), Finding.LEFT)):
        late = [Point(step=1_000 + place, loss=loss) for place, loss in enumerate(losses)]
        assert band_judge(band=band, points=late, last_step=29).finding is finding


@given(st.lists(st.floats(min_value=0.01, max_value=20.0), min_size=4, max_size=40))
def test_a_band_is_finite_and_holds_its_own_centre(losses: list[float]) -> None:
    band = band_register(series="loss", points=points(*losses), watch_steps=10)
    assert band is not None
    assert math.isfinite(band.centre)
    assert band.half_width >= 0
    assert band.holds(band.centre)
