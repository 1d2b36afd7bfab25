import pytest

from apps.accounts.models import Agent
from apps.fleet.errors import NodeNameTaken
from apps.fleet.models import Node, NodeEvent
from apps.fleet.selectors.nodes import node_ids_by_agent, node_of_agent
from apps.fleet.services.registering import node_register
from tests.apps.fleet.making import NOW, cluster, node, tenant

pytestmark = pytest.mark.django_db


def agent(name: str = "n1") -> Agent:
    count = Agent.objects.count()
    return Agent.objects.create(
        tenant=tenant(),
        node=name,
        serial=f"{count}",
        fingerprint=f"{count}",
        certificate_expires_at=NOW,
        # a node has one agent that is not revoked
        revoked_at=NOW if count else None,
        created_at=NOW,
    )


def register(name: str = "n1", **changes: object) -> Node:
    return node_register(tenant_id=tenant().id, name=name, at=NOW, **changes)  # type: ignore[arg-type] # whatever a test changes


def test_an_agent_speaks_for_the_node_that_was_imported() -> None:
    n1, speaker = node(), agent()
    assert register(agent_id=speaker.id).id == n1.id
    assert node_of_agent(agent_id=speaker.id).id == n1.id
    assert node_ids_by_agent(agent_ids=[speaker.id]) == {speaker.id: n1.id}
    assert NodeEvent.objects.get().kind == "registered"


def test_registering_again_changes_nothing() -> None:
    speaker = agent()
    first = register(agent_id=speaker.id)
    assert register(agent_id=speaker.id).id == first.id
    assert NodeEvent.objects.count() == 1


def test_a_new_agent_takes_the_place_of_the_old_one() -> None:
    register(agent_id=agent().id)
    newcomer = agent()
    n1 = register(agent_id=newcomer.id)
    assert node_of_agent(agent_id=newcomer.id).id == n1.id


def test_a_node_that_nobody_knows_goes_into_the_only_cluster_of_its_tenant() -> None:
    node("n1")
    assert register("n2").cluster == cluster("alder")


def test_the_first_node_of_a_tenant_goes_into_a_cluster_of_its_own_name() -> None:
    assert register().cluster.name == "default"


def test_a_name_that_belongs_to_another_tenant_in_that_cluster_is_refused() -> None:
    node("n1", tenant=tenant("borealis"))
    with pytest.raises(NodeNameTaken):
        register("n1", cluster="alder")


def test_a_name_in_two_clusters_needs_the_cluster() -> None:
    node("n1")
    node("n1", cluster=cluster("birch"))
    with pytest.raises(NodeNameTaken, match="say in which cluster"):
        register("n1")
    assert register("n1", cluster="birch").cluster.name == "birch"
