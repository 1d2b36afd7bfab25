import pytest

from apps.core.errors import TransitionRefused
from apps.fleet.domain.states import NodeState, node_action

S = NodeState
LEADS = {
    (S.ACTIVE, S.DRAINING): "drain",
    (S.ACTIVE, S.QUARANTINED): "quarantine",
    (S.ACTIVE, S.MAINTENANCE): "maintain",
    (S.ACTIVE, S.RETIRED): "retire",
    (S.DRAINING, S.ACTIVE): "activate",
    (S.DRAINING, S.QUARANTINED): "quarantine",
    (S.DRAINING, S.MAINTENANCE): "maintain",
    (S.DRAINING, S.RETIRED): "retire",
    (S.QUARANTINED, S.ACTIVE): "activate",
    (S.QUARANTINED, S.MAINTENANCE): "maintain",
    (S.QUARANTINED, S.RETIRED): "retire",
    (S.MAINTENANCE, S.ACTIVE): "activate",
    (S.MAINTENANCE, S.QUARANTINED): "quarantine",
    (S.MAINTENANCE, S.RETIRED): "retire",
}


@pytest.mark.parametrize("state", NodeState)
@pytest.mark.parametrize("target", NodeState)
def test_each_pair_of_states_has_one_action_or_none(state: NodeState, target: NodeState) -> None:
    if (state, target) in LEADS:
        assert node_action(state=state, target=target) == LEADS[state, target]
        return
    with pytest.raises(TransitionRefused) as refused:
        node_action(state=state, target=target)
    assert set(refused.value.allowed) == {to.value for at, to in LEADS if at is state}
