"""A plan names its target, what was checked, and what was not known."""

from collections.abc import Sequence
from uuid import UUID

import pytest

from apps.core import canonical
from apps.swaps.domain.band import Band
from apps.swaps.domain.plan import (
    Candidate,
    NoPlan,
    Plan,
    Wish,
    band_document,
    band_read,
    plan_make,
)
from tests.apps.swaps.domain.making import candidate, place, wish


def plan(candidates: Sequence[Candidate], wanted: Wish | None = None) -> Plan:
    made = plan_make(wish=wanted or wish(), candidates=candidates)
    assert isinstance(made, Plan), made
    return made


def refused(candidates: Sequence[Candidate], wanted: Wish | None = None) -> NoPlan:
    made = plan_make(wish=wanted or wish(), candidates=candidates)
    assert isinstance(made, NoPlan), made
    return made


def test_every_constraint_stands_in_the_document_with_what_was_found() -> None:
    made = plan([candidate(4)])
    assert {each["name"]: each["ok"] for each in made.document["constraints"]} == {
        "job_running": True,
        "other_node": True,
        "spare_free": True,
        "target_healthy": True,
        "standby_lives": True,
        "failure_domain": True,
        "mirror": True,
        "blast_radius": True,
        "band": None,
    }
    assert made.document["target"] == {
        "id": str(UUID(int=4)),
        "name": "n4",
        "rack": "r0",
        "member": "node-4",
    }
    assert made.document["reservation"] == {"node": str(UUID(int=4)), "for": "swap:100"}


def test_the_digest_is_that_of_the_document() -> None:
    made = plan([candidate(4)])
    assert made.digest == canonical.digest(made.document)
    assert plan([candidate(4)], wish(rank=1)).digest != made.digest


def test_another_failure_domain_is_preferred_to_a_nearer_mirror_name() -> None:
    # n1 stands in the rack of the source, n4 does not
    assert plan([candidate(1), candidate(4)]).target.place.name == "n4"


def test_the_same_failure_domain_is_taken_where_there_is_no_other() -> None:
    made = plan([candidate(1)])
    found = next(each for each in made.constraints if each.name == "failure_domain")
    assert (found.ok, found.text) == (False, "source and target share rack r1")


@pytest.mark.parametrize(
    ("spare", "blocking", "text"),
    [
        (candidate(4, is_spare=False), "spare_free", "n4 is no spare"),
        (candidate(4, reserved_for="swap:7"), "spare_free", "n4 is reserved for swap:7"),
        (candidate(4, place=place(4, state="draining")), "spare_free", "n4 is draining"),
        (
            candidate(4, place=place(4, grade="high")),
            "target_healthy",
            "the risk of n4 is high",
        ),
        (
            candidate(4, place=place(4, grade="unknown")),
            "target_healthy",
            "n4 has not reported lately: its health is not known",
        ),
        (candidate(4, member=None), "standby_lives", "no standby lives on n4"),
    ],
    ids=["no spare", "reserved", "draining", "high", "unknown health", "no standby"],
)
def test_what_is_required_keeps_a_candidate_out(spare: Candidate, blocking: str, text: str) -> None:
    found = refused([spare])
    assert [each.name for each in found.blocking] == [blocking]
    assert found.text == f"the best candidate, n4: {text}"


def test_a_lower_risk_is_preferred() -> None:
    risky = candidate(2, place=place(2, grade="medium"))
    assert plan([risky, candidate(4)]).target.place.name == "n4"
    assert plan([risky]).target.place.name == "n2"


def test_a_spare_that_is_reserved_for_this_job_is_free_for_it() -> None:
    assert plan([candidate(4, reserved_for="job:200")]).target.place.name == "n4"


def test_no_candidate_is_said_so() -> None:
    assert refused([]).text == "there is no spare node to take the rank"


def test_a_named_target_is_the_only_candidate() -> None:
    both = [candidate(1), candidate(4)]
    assert plan(both, wish(target_id=UUID(int=1))).target.place.name == "n1"
    assert refused(both, wish(target_id=UUID(int=9))).blocking == ()


def test_a_job_that_does_not_run_has_no_plan() -> None:
    found = refused([candidate(4)], wish(job_state="finished"))
    assert found.text == "the best candidate, n4: job gpt is finished"


def test_a_full_blast_radius_is_shown_and_does_not_block_planning() -> None:
    made = plan([candidate(4)], wish(radius_refusal="1 swap is under way in this job"))
    found = next(each for each in made.constraints if each.name == "blast_radius")
    assert (found.ok, found.required) == (False, False)


def test_a_band_survives_the_document() -> None:
    band = Band(series="loss", centre=2.0, half_width=0.1, rule="rule", points=20)
    made = plan([candidate(4)], wish(band=band))
    assert band_read(made.document["watch"]["band"]) == band
    assert band_read(band_document(None)) is None
