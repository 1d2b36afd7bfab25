from pathlib import Path

import pytest

from apps.fleet.domain.imports import FleetUnreadable, ReadClass, ReadDomain
from apps.fleet.domain.states import NodeState
from tests.apps.fleet.domain.imports.reading import by_name, read, sample


def test_everything_that_can_be_said_is_read() -> None:
    fleet = read("yaml", sample("fleet.yaml"))
    assert fleet.cluster == "alder"
    assert fleet.classes == (
        ReadClass(name="hgx-h100", vendor="nvidia", accelerators=8, memory_gib=2048, tdp_w=700),
    )
    assert fleet.domains[1] == ReadDomain(kind="rack", name="r1", parent=("power", "feed-a"))
    spare = by_name(fleet)["n5"]
    assert (spare.is_spare, spare.state, spare.state_reason) == (
        True,
        NodeState.MAINTENANCE,
        "fan",
    )
    assert by_name(fleet)["n1"].is_spare is None
    assert by_name(fleet)["n2"].firmware == {"bios": "2.1.3"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nodes: [", "line 2"),
        ("- a", "must be a mapping"),
        ("nodes: {}\nnode: []", "no key 'node'"),
        ("nodes: 3", "nodes must be a list"),
        ("nodes: [{name: n1}]", "n1: class"),
        ("nodes: [{class: c}]", "name of a node"),
        ("nodes: [{name: n1, class: c, domains: [r1]}]", "KIND/NAME"),
        ("nodes: [{name: n1, class: c, domains: [row/r1]}]", "KIND/NAME"),
        ("nodes: [{name: n1, class: c, state: broken}]", "'broken' is none of active"),
        ("nodes: [{name: n1, class: c, spare: 2}]", "true or false"),
        ("nodes: [{name: yes, class: c}]", "put quotes around it"),
        ("nodes: [{name: 2024-01-01, class: c}]", "put quotes around it"),
        ("classes: [{name: c, accelerators: -1}]", "whole number from 0"),
        ("classes: [{name: c, memory_gib: 99999999999}]", "whole number from 0"),
        ('nodes: [{name: "a\\0b", class: c}]', "printable"),
        ("nodes: [{name: " + "n" * 121 + ", class: c}]", "1 to 120"),
        ("a: " + "[" * 5_000, "nesting depth"),
    ],
)
def test_what_means_nothing_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(FleetUnreadable, match=why):
        read("yaml", text)


def test_a_text_that_would_unfold_without_end_is_refused() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    text = "\n".join([*levels, "nodes: [{name: *a29, class: c}]"])
    with pytest.raises(FleetUnreadable):
        read("yaml", text)
    with pytest.raises(FleetUnreadable, match="put quotes around it"):
        read("yaml", "nodes: [{name: [" + "x, " * 9 + "], class: c}]")


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(FleetUnreadable, match="import it in parts"):
        read("yaml", "#" * (5 << 20))
    with pytest.raises(FleetUnreadable, match="import it in parts"):
        read("csv", "#" * (17 << 20))


def test_what_cannot_be_seen_is_not_kept() -> None:
    text = 'nodes: [{name: n1, class: c, reason: "a\\u0000b", address: "\\u202Ex"}]'
    node = read("yaml", text).nodes[0]
    assert (node.state_reason, node.address) == ("a b", "x")


def test_the_form_in_the_documentation_can_be_read() -> None:
    page = Path(__file__).parents[5] / "docs" / "how-to" / "import-a-fleet.md"
    text = page.read_text().partition("```yaml\n")[2].partition("```")[0]
    fleet = read("yaml", text)
    assert (fleet.cluster, [node.name for node in fleet.nodes]) == ("alder", ["n1", "n5"])
