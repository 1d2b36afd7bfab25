"""Who goes where, and what is said when there is no place."""

from random import Random
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from apps.jobs.domain.placement import (
    Candidate,
    Placement,
    Role,
    Seat,
    Shortage,
    placement_plan,
    placement_replace,
)


def node(
    number: int, *, rack: str = "r1", free: int = 1, spare: bool = False, barred: str = ""
) -> Candidate:
    return Candidate(
        node=UUID(int=number),
        name=f"n{number}",
        domains=frozenset({rack}),
        free=free,
        is_spare=spare,
        barred=barred,
    )


def plan(
    candidates: list[Candidate], *, ranks: int = 2, standbys: int = 0, coordinators: int = 0
) -> Placement:
    found = placement_plan(
        ranks=ranks, standbys=standbys, coordinators=coordinators, candidates=candidates
    )
    assert isinstance(found, Placement), str(found)
    return found


def nodes_of(placement: Placement, role: Role) -> list[str]:
    return [seat.node_name for seat in placement.seats if seat.role is role]


def test_ranks_spread_over_racks() -> None:
    fleet = [node(1, rack="a"), node(2, rack="a"), node(3, rack="b"), node(4, rack="b")]
    assert nodes_of(plan(fleet), Role.RANK) == ["n1", "n3"]


def test_a_second_rank_comes_to_a_node_only_after_every_node_has_one() -> None:
    fleet = [node(1, rack="a", free=2), node(2, rack="a"), node(3, rack="b", free=2)]
    assert sorted(nodes_of(plan(fleet, ranks=3), Role.RANK)) == ["n1", "n2", "n3"]


def test_a_spare_takes_no_rank() -> None:
    found = placement_plan(
        ranks=2, standbys=0, coordinators=0, candidates=[node(1), node(2, spare=True)]
    )
    assert found == Shortage(role=Role.RANK, wanted=2, placed=1, barred=())


def test_a_standby_takes_the_spare_although_another_node_is_free() -> None:
    fleet = [node(1), node(2), node(3), node(4, spare=True)]
    assert nodes_of(plan(fleet, standbys=1), Role.STANDBY) == ["n4"]


def test_of_two_spares_the_one_in_the_rack_with_fewer_ranks_is_taken() -> None:
    fleet = [
        node(1, rack="a"),
        node(2, rack="a"),
        node(3, rack="b"),
        node(4, rack="a", spare=True),
        node(5, rack="b", spare=True),
    ]
    assert nodes_of(plan(fleet, ranks=3, standbys=1), Role.STANDBY) == ["n5"]


def test_a_power_feed_counts_as_much_as_a_rack() -> None:
    ranks = [
        Candidate(node=UUID(int=1), name="n1", domains=frozenset({"rack a", "feed 1"})),
        Candidate(node=UUID(int=2), name="n2", domains=frozenset({"rack b", "feed 1"})),
    ]
    spares = [
        Candidate(
            node=UUID(int=number),
            name=f"n{number}",
            domains=frozenset({"rack c", feed}),
            is_spare=True,
        )
        for number, feed in ((3, "feed 1"), (4, "feed 2"))
    ]
    assert nodes_of(plan([*ranks, *spares], standbys=1), Role.STANDBY) == ["n4"]


def test_a_standby_beside_a_rank_is_a_last_choice_and_comes_with_a_warning() -> None:
    found = plan([node(1, free=2), node(2)], standbys=1)
    assert nodes_of(found, Role.STANDBY) == ["n1"]
    assert found.warnings == ("standby-0 shares n1 with a rank: losing that node loses both",)


def test_coordinators_stand_apart_from_each_other_and_from_ranks_where_they_can() -> None:
    fleet = [
        node(1, rack="a"),
        node(2, rack="b"),
        node(3, rack="a", spare=True),
        node(4, rack="b", spare=True),
    ]
    assert nodes_of(plan(fleet, coordinators=2), Role.COORDINATOR) == ["n3", "n4"]


def test_a_barred_node_is_passed_over_and_named_with_its_reason() -> None:
    found = placement_plan(
        ranks=2, standbys=0, coordinators=0, candidates=[node(1), node(2, barred="draining")]
    )
    assert str(found) == "1 of 2 places for a rank were found (n2: draining)"


def test_names_say_what_a_member_was_started_as() -> None:
    found = plan([node(1), node(2), node(3, spare=True)], standbys=1, coordinators=1)
    assert [(seat.member, seat.rank) for seat in found.seats] == [
        ("node-0", 0),
        ("node-1", 1),
        ("standby-0", None),
        ("coordinator-0", None),
    ]


def test_a_replacement_avoids_the_nodes_of_ranks_that_are_already_seated() -> None:
    seats = [
        Seat(member=f"node-{rank}", role=Role.RANK, node=UUID(int=1), node_name="n1", rank=rank)
        for rank in range(2)
    ]
    found = placement_replace(
        role=Role.STANDBY, member="standby-1", seats=seats, candidates=[node(1), node(2)]
    )
    assert isinstance(found, Seat)
    assert (found.member, found.node_name) == ("standby-1", "n2")


def test_without_room_there_is_no_replacement() -> None:
    found = placement_replace(
        role=Role.STANDBY, member="standby-1", seats=[], candidates=[node(1, free=0)]
    )
    assert found == Shortage(role=Role.STANDBY, wanted=1, placed=0, barred=())


FLEETS = st.lists(
    st.builds(
        node,
        st.integers(1, 8),
        rack=st.sampled_from("abc"),
        free=st.integers(0, 3),
        spare=st.booleans(),
        barred=st.sampled_from(["", "draining"]),
    ),
    unique_by=lambda each: each.name,
    max_size=8,
)


@given(fleet=FLEETS, ranks=st.integers(1, 4), standbys=st.integers(0, 2))
def test_no_plan_overfills_a_node_or_uses_a_barred_one(
    fleet: list[Candidate], ranks: int, standbys: int
) -> None:
    found = placement_plan(ranks=ranks, standbys=standbys, coordinators=1, candidates=fleet)
    if isinstance(found, Shortage):
        return
    by_node = {each.node: each for each in fleet}
    trainers = [seat for seat in found.seats if seat.role is not Role.COORDINATOR]
    assert len(trainers) == ranks + standbys
    assert all(not by_node[seat.node].barred for seat in found.seats)
    assert all(not by_node[seat.node].is_spare for seat in trainers if seat.role is Role.RANK)
    for each in fleet:
        assert sum(1 for seat in trainers if seat.node == each.node) <= each.free


@given(fleet=FLEETS, seed=st.randoms(use_true_random=False))
def test_the_order_in_which_nodes_are_given_is_of_no_account(
    fleet: list[Candidate], seed: Random
) -> None:
    shuffled = list(fleet)
    seed.shuffle(shuffled)
    plans = [
        placement_plan(ranks=2, standbys=1, coordinators=2, candidates=each)
        for each in (fleet, shuffled)
    ]
    assert plans[0] == plans[1]
