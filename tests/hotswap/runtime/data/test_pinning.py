"""Tests of hotswap.runtime.data.pinning."""

from collections import OrderedDict
from typing import NamedTuple

import pytest
import torch

from hotswap.runtime.data.pinning import pinned
from hotswap.runtime.data.reader import Reply


class Pinnable:
    """Stands for a tensor on a machine with an accelerator."""

    def pin_memory(self) -> str:
        return "pinned"


class Pair(NamedTuple):
    """A batch that has names for its parts."""

    inputs: object
    targets: object


@pytest.fixture
def _accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a machine with an accelerator."""
    monkeypatch.setattr(torch.accelerator, "is_available", lambda: True)


@pytest.mark.usefixtures("_accelerator")
def test_tensors_are_pinned_wherever_they_stand_in_a_batch() -> None:
    tensor = Pinnable()
    batch = {"a": [tensor, 1], "b": (tensor, "text"), "c": Pair(tensor, None), "d": tensor}
    assert pinned(Reply(3, batch)).batch == {
        "a": ["pinned", 1],
        "b": ("pinned", "text"),
        "c": Pair("pinned", None),
        "d": "pinned",
    }


@pytest.mark.usefixtures("_accelerator")
def test_the_rest_of_a_reply_stays_as_it_is() -> None:
    assert pinned(Reply(3, OrderedDict(), "failed")) == Reply(3, {}, "failed")


def test_a_machine_that_has_no_use_for_pinned_memory_is_left_alone() -> None:
    reply = Reply(3, torch.ones(2))
    assert pinned(reply) is reply
