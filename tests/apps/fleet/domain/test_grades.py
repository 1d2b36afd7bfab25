from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from apps.fleet.domain.grades import Grade, Verdict, grade_explain, grade_of
from apps.fleet.domain.rules import RULE_VERSION, RULES, Direction, signal_base
from apps.fleet.domain.signals import Reading, Source

BOOK = RULES[RULE_VERSION]


def reading(
    name: str,
    figure: float | None,
    *,
    value: float | None = None,
    source: Source = Source.MEASURED,
) -> Reading:
    return Reading(
        name=name, value=figure if value is None else value, unit="", source=source, figure=figure
    )


def verdict(*readings: Reading, accelerators: int = 0, stale: bool = False) -> Verdict:
    return grade_explain(book=BOOK, readings=readings, accelerators=accelerators, stale=stale)


def test_a_node_whose_signals_are_all_fine_is_low() -> None:
    found = verdict(reading("gpu_0_temperature", 61), accelerators=1)
    assert found.grade is Grade.LOW
    assert found.contributions[0].reason == "61 celsius is not at or above 80"


def test_the_worst_signal_makes_the_grade_and_stands_first() -> None:
    found = verdict(
        reading("gpu_0_temperature", 61),
        reading("gpu_1_temperature", 89),
        reading("gpu_1_pcie_replays", 40),
    )
    assert found.grade is Grade.HIGH
    assert found.reason == "gpu_1_temperature: 89 celsius is at or above 88"
    assert [(each.name, each.grade) for each in found.contributions] == [
        ("gpu_1_temperature", Grade.HIGH),
        ("gpu_1_pcie_replays", Grade.MEDIUM),
        ("gpu_0_temperature", Grade.LOW),
    ]


def test_a_signal_that_gets_worse_by_falling_is_judged_so() -> None:
    assert verdict(reading("gpu_0_temperature_margin", 40)).grade is Grade.LOW
    assert verdict(reading("gpu_0_temperature_margin", 4)).grade is Grade.HIGH
    assert verdict(reading("gpu_0_temperature_margin", 0)).grade is Grade.CRITICAL


def test_nothing_known_is_unknown_and_not_healthy() -> None:
    assert verdict().grade is Grade.UNKNOWN
    assert verdict(reading("gpu_0_temperature", None)).grade is Grade.UNKNOWN
    assert verdict(reading("cpu_load", 3)).grade is Grade.UNKNOWN


def test_a_node_with_accelerators_is_unknown_without_what_it_must_report() -> None:
    found = verdict(reading("temperature_0_cpu", 40), accelerators=8)
    assert found.grade is Grade.UNKNOWN
    assert found.reason == "not known: gpu_temperature"
    assert found.contributions[0].required
    assert found.contributions[0].reason == ("reported of 0 accelerators, the node's class has 8")


def test_a_device_that_falls_silent_while_the_others_speak_makes_a_node_unknown() -> None:
    seven = [reading(f"gpu_{number}_temperature", 60) for number in range(7)]
    assert verdict(*seven, accelerators=7).grade is Grade.LOW
    found = verdict(*seven, accelerators=8)
    assert found.grade is Grade.UNKNOWN
    assert found.contributions[0].reason == ("reported of 7 accelerators, the node's class has 8")


def test_one_device_that_cannot_be_read_makes_a_node_unknown() -> None:
    found = verdict(
        reading("gpu_0_temperature", 60), reading("gpu_1_temperature", None), accelerators=2
    )
    assert found.grade is Grade.UNKNOWN
    assert found.reason == "not known: gpu_1_temperature"


def test_bad_news_needs_no_completeness() -> None:
    found = verdict(reading("gpu_0_ecc_uncorrected", 1), accelerators=8)
    assert found.grade is Grade.HIGH


def test_an_optional_signal_that_is_not_known_is_shown_as_unknown() -> None:
    found = verdict(reading("temperature_0_cpu", 40), reading("gpu_0_throttled", None))
    assert found.grade is Grade.LOW
    assert [each.grade for each in found.contributions] == [Grade.UNKNOWN, Grade.LOW]
    assert found.contributions[0].reason == "the node could not read it"


def test_a_counter_that_has_begun_anew_says_so() -> None:
    found = verdict(reading("gpu_0_pcie_replays", None, value=3))
    assert found.contributions[0].reason == (
        "the counter has begun anew: its increase is not known yet"
    )


def test_a_stale_report_makes_a_node_unknown_however_bad_it_was() -> None:
    found = verdict(reading("gpu_0_temperature", 99), stale=True)
    assert found.grade is Grade.UNKNOWN
    assert found.reason == "the latest report is too old to speak about now"


def test_where_a_figure_comes_from_is_kept() -> None:
    found = verdict(reading("gpu_0_temperature", 99, source=Source.SIMULATED))
    assert found.contributions[0].source is Source.SIMULATED


def test_a_signal_that_the_rule_does_not_know_has_no_grade() -> None:
    found = verdict(reading("gpu_0_temperature", 60), reading("humidity", 99))
    assert (found.contributions[-1].name, found.contributions[-1].grade) == ("humidity", None)


@pytest.mark.parametrize(
    ("name", "figure", "grade"),
    [
        # corrected errors by the thousand a second, remaps long since used up
        ("gpu_0_ecc_corrected", 17_700.0 * 60, Grade.HIGH),
        ("gpu_0_ecc_corrected", 0.0, Grade.LOW),
        ("gpu_0_row_remap_pending", 1.0, Grade.HIGH),
        ("gpu_0_row_remap_failure", 1.0, Grade.CRITICAL),
        ("gpu_0_throttled", 1e-9, Grade.LOW),
        ("devices_missing", 1.0, Grade.HIGH),
    ],
)
def test_what_other_tools_got_wrong_is_graded(name: str, figure: float, grade: Grade) -> None:
    assert verdict(reading(name, figure)).grade is grade


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("gpu_3_temperature", "gpu_temperature"),
        ("gpu_12_ecc_corrected", "gpu_ecc_corrected"),
        ("devices_missing", "devices_missing"),
        ("nic_errors", "nic_errors"),
        ("disk_0", "disk_0"),
        ("temperature_0_x86_pkg_temp", "temperature"),
    ],
)
def test_the_number_of_a_device_is_no_part_of_a_rules_name(name: str, base: str) -> None:
    assert signal_base(name) == base


def test_thresholds_of_every_published_rule_are_in_order() -> None:
    for version, book in RULES.items():
        assert book.version == version
        for rule in book.signals.values():
            steps = [each for each in (rule.medium, rule.high, rule.critical) if each is not None]
            rising = rule.direction is Direction.RISING
            assert steps == sorted(set(steps), reverse=not rising), rule.name
            assert steps, rule.name


FIGURES = st.one_of(st.none(), st.floats(-100, 2e6))
READINGS = st.lists(
    st.builds(
        reading,
        st.sampled_from([*BOOK.signals, "gpu_0_temperature", "gpu_1_temperature", "other"]),
        FIGURES,
    ),
    max_size=6,
    unique_by=lambda each: each.name,
)


@given(READINGS, st.integers(0, 8))
@example([reading("gpu_temperature", None), reading("gpu_0_temperature", 0.0)], 1)
def test_the_quick_way_and_the_explained_way_agree(
    readings: Sequence[Reading], accelerators: int
) -> None:
    quick = grade_of(book=BOOK, readings=readings, accelerators=accelerators)
    assert quick is verdict(*readings, accelerators=accelerators).grade


@given(READINGS, st.integers(0, 8))
def test_a_node_of_which_nothing_can_be_read_is_unknown(
    readings: Sequence[Reading], accelerators: int
) -> None:
    blind = [reading(each.name, None) for each in readings]
    assert grade_of(book=BOOK, readings=blind, accelerators=accelerators) is Grade.UNKNOWN


@given(READINGS, st.integers(0, 8))
def test_what_is_lost_never_makes_a_node_low(
    readings: Sequence[Reading], accelerators: int
) -> None:
    before = grade_of(book=BOOK, readings=readings, accelerators=accelerators)
    for lost in range(len(readings)):
        held = [
            reading(each.name, None) if index == lost else each
            for index, each in enumerate(readings)
        ]
        after = grade_of(book=BOOK, readings=held, accelerators=accelerators)
        if before is Grade.UNKNOWN:
            assert after is Grade.UNKNOWN
