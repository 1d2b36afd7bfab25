"""What is kept while the plane is away is bounded, and what is given up is counted."""

from hypothesis import given
from hypothesis import strategies as st

from hotswap.node.agent.outbox import Outbox, Sample
from hotswap.node.agent.pauses import Pauses
from hotswap.wire.plane import Inventory, NodeReport

NODE = NodeReport(inventory=Inventory(hostname="n1"))


@given(put=st.integers(0, 30), room=st.integers(1, 10))
def test_the_newest_are_kept_in_order_and_the_others_counted(put: int, room: int) -> None:
    outbox = Outbox(samples_max=room)
    for number in range(put):
        outbox.put(Sample(at=str(number), node=NODE))
    assert len(outbox) == min(put, room)
    assert outbox.dropped == max(0, put - room)
    kept = [sample.at for sample in iter(outbox.take, None)]
    assert kept == [str(number) for number in range(put)][-len(kept) or put :]
    assert outbox.take() is None


def test_pauses_double_up_to_the_longest_and_begin_anew_after_a_success() -> None:
    pauses = Pauses(first_s=0.2, longest_s=1.0)
    assert [round(pauses.next_s(), 3) for _ in range(5)] == [0.2, 0.4, 0.8, 1.0, 1.0]
    assert pauses.failures == 5
    pauses.reset()
    assert (pauses.failures, pauses.next_s()) == (0, 0.2)
