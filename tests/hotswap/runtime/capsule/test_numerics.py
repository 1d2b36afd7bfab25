"""A process that would compute other bits is told so."""

import threading

import msgspec
import pytest
import torch

from hotswap.errors import NumericsDiffer
from hotswap.runtime.capsule.numerics import (
    Numerics,
    intra_op_threads,
    numerics_of,
    replay_device,
)
from tests.hotswap.runtime.capsule.support import sent

CPU = torch.device("cpu")


def test_this_process_agrees_with_itself() -> None:
    assert replay_device(sent(numerics_of(CPU), Numerics)) == CPU


@pytest.mark.parametrize(
    ("field", "value", "advice"),
    [
        ("cpu_capability", "AVX7", "ATEN_CPU_CAPABILITY"),
        ("device", "cuda Imaginary 9000", "the same kind of device"),
        ("torch_version", "1.0", "the same torch"),
    ],
)
def test_the_message_names_what_differs_and_what_to_do(field: str, value: str, advice: str) -> None:
    here = numerics_of(CPU)
    with pytest.raises(NumericsDiffer) as caught:
        replay_device(msgspec.structs.replace(here, **{field: value}))
    assert f"{field} is {value} at the owner and " in str(caught.value)
    assert advice in str(caught.value)
    assert "default_dtype is" not in str(caught.value)


def test_flushing_denormals_is_noticed() -> None:
    assert not numerics_of(CPU).flush_denormal
    assert torch.set_flush_denormal(True)
    try:
        assert numerics_of(CPU).flush_denormal
        flushing = sent(numerics_of(CPU), Numerics)
    finally:
        torch.set_flush_denormal(False)
    with pytest.raises(NumericsDiffer, match="flush_denormal is True at the owner"):
        replay_device(flushing)


def test_threads_are_the_owners_within_the_block_only() -> None:
    before = torch.get_num_threads()
    with intra_op_threads(before + 2):
        assert torch.get_num_threads() == before + 2
    assert torch.get_num_threads() == before
    with pytest.raises(KeyError), intra_op_threads(before + 1):
        raise KeyError
    assert torch.get_num_threads() == before


def test_threads_are_set_in_whichever_thread_replays() -> None:
    seen = []

    def replay() -> None:
        with intra_op_threads(3):
            seen.append(torch.get_num_threads())

    thread = threading.Thread(target=replay)
    thread.start()
    thread.join()
    assert seen == [3]
