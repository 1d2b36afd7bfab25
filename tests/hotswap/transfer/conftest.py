"""Connected sockets and sample tensors for the transfer tests."""

import socket
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from hotswap.limits import Limits
from hotswap.transfer.buffers import DTYPES, byte_view

# A wait in a test that ends by itself; this only keeps a failing test from hanging.
TIMEOUT_S = 10.0


@pytest.fixture(params=["unix", "tcp"])
def link(request: pytest.FixtureRequest) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Yield two connected stream sockets with a time-out."""
    left, right = socket.socketpair() if request.param == "unix" else tcp_pair()
    with left, right:
        left.settimeout(TIMEOUT_S)
        right.settimeout(TIMEOUT_S)
        yield left, right


@pytest.fixture
def limits() -> Limits:
    """Return the default limits."""
    return Limits()


@pytest.fixture
def every_dtype() -> dict[str, Tensor]:
    """Return one tensor of each dtype that can be moved, holding arbitrary bits."""
    return {name: of_random_bits(dtype, seed=index) for index, (name, dtype) in all_dtypes()}


def all_dtypes() -> Iterator[tuple[int, tuple[str, torch.dtype]]]:
    return iter(enumerate(DTYPES.items()))


def of_random_bits(dtype: torch.dtype, *, seed: int) -> Tensor:
    tensor = torch.empty((3, 5), dtype=dtype)
    bits = torch.randint(0, 256, (tensor.nbytes,), generator=torch.Generator().manual_seed(seed))
    if dtype is torch.bool:
        bits %= 2
    byte_view(tensor)[:] = bytes(bits.tolist())
    return tensor


def tcp_pair() -> tuple[socket.socket, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        left = socket.create_connection(server.getsockname())
        right, _ = server.accept()
    return left, right
