import pytest

from apps.fleet.domain.imports import FleetUnreadable, ReadClass, ReadDomain
from apps.fleet.domain.states import NodeState
from tests.apps.fleet.domain.imports.reading import by_name, read, sample


def test_a_line_is_a_node() -> None:
    fleet = read("csv", sample("fleet.csv"))
    assert fleet.cluster is None
    assert fleet.classes == (ReadClass(name="hgx-h100"),)
    assert ReadDomain(kind="power", name="feed-b") in fleet.domains
    node = by_name(fleet)["n5"]
    assert node.domains == (("rack", "r2"), ("power", "feed-b"), ("switch", "leaf-2"))
    assert (node.is_spare, node.state) == (True, NodeState.MAINTENANCE)
    assert by_name(fleet)["n1"].state is None


def test_what_a_spreadsheet_puts_around_it_does_no_harm() -> None:
    text = '\ufeffname , class,spare\r\n"n1", c ,\r\n'
    node = read("csv", text).nodes[0]
    assert (node.name, node.node_class, node.is_spare) == ("n1", "c", None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no column 'name'"),
        ("name,rack\n", "no column 'class'"),
        ("name,class,rak\n", "'rak' means nothing"),
        ("name,class\nn1\n", "line 2: not as many values"),
        ("name,class\nn1,c,d\n", "line 2: not as many values"),
        ("name,class\n,c\n", "line 2: name must"),
        ("name,class,spare\nn1,c,maybe\n", "line 2: spare is yes or no"),
        ("name,class,state\nn1,c,odd\n", "line 2: n1: state 'odd'"),
        ('name,class\nn1,"c\n', "unexpected end"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, why: str) -> None:
    with pytest.raises(FleetUnreadable, match=why):
        read("csv", text)
