import pytest

from apps.fleet.domain.imports import FleetUnreadable, ReadClass, ReadDomain
from apps.fleet.domain.imports.slurm_states import slurm_state
from apps.fleet.domain.states import NodeState
from tests.apps.fleet.domain.imports.reading import by_name, read, sample


def test_each_record_becomes_a_node_with_its_class_and_address() -> None:
    fleet = read("scontrol", sample("scontrol_show_node.txt"))
    node = by_name(fleet)["gpu-a07"]
    assert (node.address, node.node_class) == ("10.4.1.7", "nvidia_a100-sxm4-40gb-4-503g")
    assert fleet.classes[0] == ReadClass(
        name="nvidia_a100-sxm4-40gb-4-503g", accelerators=4, memory_gib=503
    )
    assert node.firmware == {
        "slurm": "22.05.10",
        "os": "Linux 4.18.0-553.8.1.el8_10.x86_64 #1 SMP Tue Jul 2 07:26:33 EDT 2024",
    }


def test_a_drained_node_enters_as_draining_with_the_whole_reason() -> None:
    node = by_name(read("scontrol", sample("scontrol_show_node.txt")))["gpu-a08"]
    assert node.state is NodeState.DRAINING
    assert node.state_reason == "gpu=2 row remap pending, Xid=63 [ops@2024-11-19T20:05:01]"


def test_a_node_that_does_not_respond_is_quarantined() -> None:
    node = by_name(read("scontrol", sample("scontrol_show_node.txt")))["bigmem0"]
    assert node.state is NodeState.QUARANTINED


def test_a_node_of_the_future_is_left_out_and_said_so() -> None:
    fleet = read("scontrol", sample("scontrol_show_node.txt"))
    assert "cpu-001" not in by_name(fleet)
    assert fleet.notes == ("cpu-001: left out, Slurm says FUTURE",)


def test_one_line_a_node_says_the_same() -> None:
    nodes = by_name(read("scontrol", sample("scontrol_one_line.txt")))
    assert nodes["gpu-b01"].node_class == "h100-8-2015g"
    assert nodes["gpu-b02"].state is NodeState.MAINTENANCE
    assert nodes["gpu-b02"].state_reason == "change of fan 3 [ops@2024-03-04T11:00:00]"


def test_lines_of_the_topology_put_nodes_below_their_lowest_switch() -> None:
    fleet = read("scontrol", sample("scontrol_one_line.txt"))
    assert by_name(fleet)["gpu-b01"].domains == (("switch", "leaf1"),)
    assert fleet.domains == (
        ReadDomain(kind="switch", name="leaf1", parent=("switch", "spine1")),
        ReadDomain(kind="switch", name="spine1"),
    )


@pytest.mark.parametrize(
    ("gres", "count"),
    [
        ("(null)", 0),
        ("gpu:8", 8),
        ("gpu:h100:8", 8),
        ("gpu:h100:8(S:0-1),shard:h100:80", 8),
        ("gpu:a100:3(S:0,1),gpu:a100_1g.5gb:7", 10),
        ("gpu", 1),
        ("nic:mlx5:8", 0),
    ],
)
def test_accelerators_are_counted_from_generic_resources(gres: str, count: int) -> None:
    fleet = read("scontrol", f"NodeName=n1\n   Gres={gres}\n   State=IDLE\n")
    assert fleet.classes[0].accelerators == count


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("IDLE", NodeState.ACTIVE),
        ("ALLOCATED+CLOUD", NodeState.ACTIVE),
        ("IDLE+CLOUD+POWERED_DOWN", NodeState.ACTIVE),
        ("MIXED+DRAIN", NodeState.DRAINING),
        ("IDLE*", NodeState.QUARANTINED),
        ("DOWN+DRAIN", NodeState.QUARANTINED),
        ("ALLOCATED+MAINT", NodeState.MAINTENANCE),
        ("UNKNOWN", NodeState.QUARANTINED),
        ("", NodeState.QUARANTINED),
        ("SOMETHING_NEW", NodeState.QUARANTINED),
        ("FUTURE", None),
    ],
)
def test_what_slurm_does_not_know_is_never_active(text: str, state: NodeState | None) -> None:
    assert slurm_state(text) is state


@pytest.mark.parametrize(
    "text", ["", "No nodes in the system", "Node n9 not found", "JobId=4 JobName=x"]
)
def test_a_text_without_nodes_is_refused(text: str) -> None:
    with pytest.raises(FleetUnreadable, match="no line begins with NodeName="):
        read("scontrol", text)


def test_a_name_that_comes_twice_is_refused() -> None:
    with pytest.raises(FleetUnreadable, match="named more than once: n1"):
        read("scontrol", "NodeName=n1 State=IDLE\nNodeName=n1 State=IDLE\n")
