"""What is kept while the plane is away is bounded, and what is given up is counted."""

from hypothesis import given
from hypothesis import strategies as st

from hotswap.node.agent.outbox import Outbox, Sample
from hotswap.node.agent.pauses import Pauses
from hotswap.wire.plane import Inventory, NodeReport

NODE = NodeReport(inventory=Inventory(hostname="n1"))


@given(put=st.integers(0, 30), room=st.integers(1, 10))
def test_the_newest_are_kept_and_go_out_first_and_the_others_are_counted(
    put: int, room: int
) -> None:
    outbox = Outbox(samples_max=room)
    for number in range(put):
        outbox.put(Sample(at=str(number), node=NODE))
    assert len(outbox) == min(put, room)
    assert outbox.dropped == max(0, put - room)
    kept = [int(sample.at) for _, sample in iter(outbox.take, None)]
    assert kept == list(range(put))[: -room - 1 : -1]
    assert outbox.take() is None


def test_what_was_overtaken_waits_and_what_is_new_does_not() -> None:
    outbox = Outbox(samples_max=3)
    assert not outbox.waits
    for number in range(2):
        outbox.put(Sample(at=str(number), node=NODE))
    assert not outbox.waits
    outbox.take()
    assert outbox.waits
    outbox.put(Sample(at="2", node=NODE))
    assert not outbox.waits
    outbox.take()
    outbox.take()
    assert not outbox.waits


def test_numbers_tell_in_which_order_things_happened() -> None:
    outbox = Outbox(samples_max=2)
    outbox.put(Sample(at="1", node=NODE))
    assert outbox.number() == 2
    outbox.put(Sample(at="3", node=NODE))
    numbers = [taken[0] for taken in iter(outbox.take, None)]
    assert (numbers, outbox.number()) == ([3, 1], 4)


def test_pauses_double_up_to_the_longest_and_begin_anew_after_a_success() -> None:
    pauses = Pauses(first_s=0.2, longest_s=1.0)
    assert [round(pauses.next_s(), 3) for _ in range(5)] == [0.2, 0.4, 0.8, 1.0, 1.0]
    assert pauses.failures == 5
    pauses.reset()
    assert (pauses.failures, pauses.next_s()) == (0, 0.2)
