"""Which rank's model each standby builds in advance."""

from dataclasses import replace

from hotswap.limits import Limits
from hotswap.wire import messages
from tests.hotswap.coordinator.core.leading import LIMITS, Lead, hello, mirrored, owned
from tests.hotswap.coordinator.core.test_failover import successor


def begun(*, standbys: int = 1, limits: Limits = LIMITS) -> Lead:
    """Return a leader of three ranks, all of them mirrored."""
    lead = Lead(ranks=3, limits=limits)
    lead.begin(ranks=3, standbys=standbys)
    return lead


def asked(lead: Lead) -> dict[str, int | None]:
    """Return which rank each standby was told to build."""
    return {each.name: each.asked_rank for each in lead.core.job.standbys()}


def ready(lead: Lead) -> dict[int, tuple[str, ...]]:
    """Return which standbys have built which rank."""
    return {rank.rank: rank.prepared for rank in lead.core.status().ranks}


def test_unasked_a_standby_builds_the_highest_rank_once_it_mirrors_all_that_it_shall() -> None:
    lead = Lead(ranks=3)
    lead.lead()
    lead.say("s0", hello("s0"))
    for rank in range(3):
        lead.say(f"r{rank}", hello(f"r{rank}", wanted_rank=rank))
    for rank in (2, 0):
        lead.say("s0", messages.MirrorReport(holding=mirrored(rank, 0)))
    assert lead.told(messages.Prepare) == []
    lead.say("s0", messages.MirrorReport(holding=mirrored(1, 0)))
    lead.say("s0", messages.MirrorReport(holding=mirrored(1, 1)))
    assert [told.rank for told in lead.told(messages.Prepare, to="s0")] == [2]
    assert ready(lead) == {0: (), 1: (), 2: ()}
    lead.say("s0", messages.Prepared(rank=2))
    assert ready(lead) == {0: (), 1: (), 2: ("s0",)}


def test_two_standbys_build_two_ranks() -> None:
    assert sorted(asked(begun(standbys=2)).values(), key=str) == [1, 2]


def test_no_more_standbys_build_unasked_than_the_limit_allows() -> None:
    assert asked(begun(limits=replace(LIMITS, ready_standbys_max=0))) == {"s0": None}
    chosen = asked(begun(standbys=2, limits=replace(LIMITS, ready_standbys_max=1)))
    assert sum(rank is None for rank in chosen.values()) == 1


def test_what_an_operator_asks_for_counts_and_not_what_was_built_before() -> None:
    lead = begun()
    lead.say("s0", messages.Prepared(rank=2))
    lead.say("person", messages.PrepareRequest(rank=0))
    assert [told.rank for told in lead.told(messages.Prepare, to="s0")] == [0]
    assert ready(lead) == {0: (), 1: (), 2: ()}
    # sent before it had heard of it
    lead.say("s0", messages.Prepared(rank=2))
    assert ready(lead) == {0: (), 1: (), 2: ()}
    lead.say("s0", messages.Prepared(rank=0))
    lead.say("s0", messages.MirrorReport(holding=mirrored(1, 1)))
    assert asked(lead) == {"s0": 0}
    assert ready(lead) == {0: ("s0",), 1: (), 2: ()}


def test_a_standby_that_comes_back_is_told_again_unless_it_has_built_the_model() -> None:
    lead = begun()
    copies = tuple(mirrored(rank, 1) for rank in range(3))
    for built, told in ((None, [2]), (2, [])):
        lead.disconnect("s0")
        lead.done.clear()
        lead.say("s0", hello("s0", holdings=copies, prepared_rank=built))
        assert [command.rank for command in lead.told(messages.Prepare, to="s0")] == told
    assert ready(lead)[2] == ("s0",)


def test_a_new_leader_leaves_a_standby_with_what_it_has_built() -> None:
    lead = successor(begun())
    for rank in range(3):
        lead.say(f"r{rank}", hello(f"r{rank}", epoch=1, rank=rank, holdings=(owned(rank, 1),)))
    copies = tuple(mirrored(rank, 1) for rank in range(3))
    lead.say("s0", hello("s0", holdings=copies, prepared_rank=0))
    assert lead.told(messages.Prepare) == []
    assert ready(lead)[0] == ("s0",)


def test_a_new_leader_has_a_standby_that_has_built_nothing_build() -> None:
    lead = successor(begun())
    copies = tuple(mirrored(rank, 1) for rank in range(3))
    lead.say("s0", hello("s0", holdings=copies))
    assert [told.rank for told in lead.told(messages.Prepare, to="s0")] == [2]


def test_of_two_mirrors_the_one_that_has_built_the_model_takes_over() -> None:
    lead = begun(standbys=2)
    lead.core.job.mirrors = {0: ("s0", "s1"), 1: ("s0", "s1"), 2: ("s0", "s1")}
    (builder,) = [name for name, rank in asked(lead).items() if rank == 1]
    lead.say(builder, messages.Prepared(rank=1))
    lead.exit("r1")
    for name in ("r0", "r2"):
        lead.unwind(name, owned(int(name[1]), 1))
    for name in ("s0", "s1"):
        lead.unwind(name, *(mirrored(rank, 1) for rank in range(3)))
    assert lead.core.job.seats[1].member == builder
