import pytest

from apps.fleet.selectors.nodes import nodes_at
from apps.fleet.selectors.spares import nodes_by_grade, spares_summary
from tests.apps.fleet.making import NOW, at, healthy, ingest, node, report, signal, tenant

pytestmark = pytest.mark.django_db


def by_grade(second: float = 0) -> dict[str, int]:
    return nodes_by_grade(tenants=[tenant().id], now=at(second))


def test_nodes_are_counted_by_grade_with_a_zero_for_each_that_none_has() -> None:
    n1, n2 = node("n1"), node("n2")
    node("n3")
    healthy(n1)
    ingest(report(n2, signal(value=120)))
    assert by_grade() == {"unknown": 1, "low": 1, "medium": 0, "high": 0, "critical": 1}


def test_a_stale_node_counts_as_unknown_before_any_worker_has_looked() -> None:
    healthy(node("n1"))
    assert by_grade(14.9)["low"] == 1
    assert by_grade(15) == {"unknown": 1, "low": 0, "medium": 0, "high": 0, "critical": 0}


def test_retired_nodes_and_those_of_others_do_not_count() -> None:
    node("n1", state="retired")
    node("n2", tenant=tenant("borealis"))
    assert sum(by_grade().values()) == 0


def test_no_nodes_are_no_nodes() -> None:
    assert sum(by_grade().values()) == 0
    reserve = spares_summary(tenants=[tenant().id], now=NOW)
    assert (reserve.nodes, reserve.ready, reserve.percent) == (0, 0, None)


def test_spares_count_as_ready_only_while_they_could_take_over() -> None:
    working = [node(f"n{number}") for number in range(6)]
    spares = [node(f"s{number}", is_spare=True) for number in range(4)]
    healthy(*working, spares[0], spares[1])
    spares[1].__class__.objects.filter(id=spares[1].id).update(reserved_for="swap:1")
    spares[2].__class__.objects.filter(id=spares[2].id).update(state="maintenance")
    reserve = spares_summary(tenants=[tenant().id], now=NOW)
    assert (reserve.nodes, reserve.ready, reserve.reserved, reserve.unfit) == (10, 1, 1, 2)
    assert (reserve.percent, reserve.missing) == (10.0, 0)
    later = spares_summary(tenants=[tenant().id], now=at(15))
    assert (later.ready, later.reserved, later.unfit, later.missing) == (0, 1, 3, 1)


def test_a_node_is_shown_with_its_grade_as_it_is_now() -> None:
    healthy(node("n1"))
    fresh, stale = (vars(nodes_at(now=time).get()) for time in (NOW, at(15)))
    assert (fresh["grade_now"], fresh["is_stale"], fresh["reported_at"]) == ("low", False, NOW)
    assert (stale["grade_now"], stale["is_stale"], stale["reported_at"]) == ("unknown", True, NOW)


def test_a_node_that_never_reported_is_unknown_and_not_stale() -> None:
    node("n1")
    silent = vars(nodes_at(now=NOW).get())
    assert (silent["grade_now"], silent["is_stale"]) == ("unknown", False)
    assert silent["source_now"] is None
