from uuid import UUID

from apps.fleet.domain.layout import Domain, Tile, domains_above, layout_from, natural

FEED, RACK_2, RACK_10, LEAF = (UUID(int=n) for n in range(1, 5))
DOMAINS = {
    each.id: each
    for each in (
        Domain(id=FEED, kind="power", name="feed", parent_id=None),
        Domain(id=RACK_2, kind="rack", name="r2", parent_id=FEED),
        Domain(id=RACK_10, kind="rack", name="r10", parent_id=FEED),
        Domain(id=LEAF, kind="switch", name="leaf", parent_id=RACK_10),
    )
}


def tile(name: str, rack: UUID | None, *within: UUID) -> Tile:
    above = {each for domain in within for each in domains_above(domains=DOMAINS, domain_id=domain)}
    return Tile(
        id=UUID(int=int.from_bytes(name.encode())),
        name=name,
        rack_id=rack,
        domain_ids=frozenset(above),
    )


def test_a_domain_is_followed_up_to_the_outermost() -> None:
    assert domains_above(domains=DOMAINS, domain_id=LEAF) == (LEAF, RACK_10, FEED)


def test_a_circle_ends() -> None:
    circle = {
        FEED: Domain(id=FEED, kind="power", name="a", parent_id=LEAF),
        LEAF: Domain(id=LEAF, kind="switch", name="b", parent_id=FEED),
    }
    assert domains_above(domains=circle, domain_id=FEED) == (FEED, LEAF)


def test_racks_and_nodes_stand_in_natural_order_and_the_placeless_last() -> None:
    tiles = [
        tile("x1", None),
        tile("n10", RACK_10, LEAF),
        tile("n9", RACK_10, LEAF),
        tile("n1", RACK_2, RACK_2),
    ]
    racks = layout_from(domains=DOMAINS, tiles=tiles)
    assert [(rack.domain.name if rack.domain else None) for rack in racks] == ["r2", "r10", None]
    assert [each.name for each in racks[1].tiles] == ["n9", "n10"]


def test_what_all_nodes_of_a_rack_share_is_said_once() -> None:
    racks = layout_from(
        domains=DOMAINS, tiles=[tile("n9", RACK_10, LEAF), tile("n10", RACK_10, RACK_10)]
    )
    assert [domain.name for domain in racks[0].shared] == ["feed"]


def test_an_empty_cluster_has_no_racks() -> None:
    assert layout_from(domains=DOMAINS, tiles=[]) == ()


def test_numbers_in_names_count_as_numbers() -> None:
    names = ["n10", "n2", "n1", "a", "n2b", "10", "9"]
    assert sorted(names, key=natural) == ["9", "10", "a", "n1", "n2", "n2b", "n10"]
