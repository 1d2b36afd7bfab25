import json

import pytest

from apps.fleet.domain.imports import FleetUnreadable, ReadClass, ReadDomain
from apps.fleet.domain.states import NodeState
from tests.apps.fleet.domain.imports.reading import by_name, read, sample

NODES = sample("kubectl_get_nodes.json")


def test_a_ready_node_enters_as_active_with_class_place_and_levels() -> None:
    fleet = read("kubectl", NODES)
    node = by_name(fleet)["h100-01"]
    assert (node.state, node.address) == (NodeState.ACTIVE, "10.8.0.11")
    assert node.node_class == "NVIDIA-H100-80GB-HBM3-8"
    assert node.domains == (("rack", "r7"), ("switch", "leaf-07"))
    assert node.firmware["driver"] == "550.54.15"
    assert (
        ReadClass(name="NVIDIA-H100-80GB-HBM3-8", vendor="nvidia", accelerators=8, memory_gib=2015)
        in fleet.classes
    )
    assert ReadDomain(kind="switch", name="leaf-07", parent=("switch", "spine-02")) in fleet.domains


def test_a_cordoned_node_enters_as_draining() -> None:
    assert by_name(read("kubectl", NODES))["h100-02"].state is NodeState.DRAINING


def test_a_node_of_which_kubernetes_knows_nothing_is_quarantined() -> None:
    node = by_name(read("kubectl", NODES))["h100-03"]
    assert node.state is NodeState.QUARANTINED
    assert node.state_reason == "Kubelet stopped posting node status."
    assert node.node_class == "p5.48xlarge"


def test_nodes_of_the_control_plane_are_left_out_and_said_so() -> None:
    fleet = read("kubectl", NODES)
    assert "cp-1" not in by_name(fleet)
    assert fleet.notes == ("cp-1: left out, it belongs to the control plane of Kubernetes",)


def test_one_node_alone_is_read_too() -> None:
    single = json.dumps(json.loads(NODES)["items"][1])
    assert list(by_name(read("kubectl", single))) == ["h100-01"]


def test_memory_that_is_not_said_is_not_known() -> None:
    node = {"kind": "Node", "metadata": {"name": "n1"}, "status": {"capacity": {"memory": "?"}}}
    fleet = read("kubectl", json.dumps(node))
    assert fleet.classes == (ReadClass(name="cpu", accelerators=0, memory_gib=None),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "{not json}",
        '{"items": []}',
        '{"items": [{"kind": "Pod"}]}',
        '{"items": [{"kind": "Node", "metadata": {"name": "\\u0000"}}]}',
        "[" * 100_000,
    ],
)
def test_what_is_no_list_of_nodes_is_refused(text: str) -> None:
    with pytest.raises(FleetUnreadable):
        read("kubectl", text)


def test_the_line_of_a_mistake_is_said() -> None:
    with pytest.raises(FleetUnreadable, match="line 2"):
        read("kubectl", '{"items":\n !}')
