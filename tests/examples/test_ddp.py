"""Tests of examples/ddp.py."""

from pathlib import Path

import ddp
import pytest
import torch
from corpus import read_package
from torch.nn import functional
from torch.utils.data import default_collate

from tests.examples.conftest import RunScript
from tests.examples.protection import marked_lines, protecting_lines

SCRIPT = Path(ddp.__file__)
SMALL = ("--steps=3", "--validate-every=2", "--batch=4")


@pytest.fixture(scope="module")
def chunks() -> tuple[ddp.Chunks, ddp.Chunks]:
    """Return what the net learns from, and what it is validated on."""
    return ddp.read_chunks()


def as_bytes(chunk: torch.Tensor) -> bytes:
    return bytes(chunk.tolist())


def test_six_lines_protect_it_and_they_are_marked() -> None:
    assert len(marked_lines(SCRIPT)) == 6
    assert protecting_lines(SCRIPT) == marked_lines(SCRIPT)


def test_a_chunk_is_labelled_with_the_package_that_it_comes_from(
    chunks: tuple[ddp.Chunks, ddp.Chunks],
) -> None:
    packages = [as_bytes(read_package(name)) for name in ddp.PACKAGES]
    for part in chunks:
        for index in range(0, len(part), 17):
            chunk, label = part[index]
            assert len(chunk) == ddp.CHUNK
            assert as_bytes(chunk) in packages[int(label)]


def test_every_package_has_as_many_chunks(chunks: tuple[ddp.Chunks, ddp.Chunks]) -> None:
    training, validation = chunks
    labels = torch.stack([validation[index][1] for index in range(len(validation))])
    assert labels.bincount().tolist() == [ddp.VALIDATION_CHUNKS_PER_PACKAGE] * len(ddp.PACKAGES)
    assert len(training) == ddp.CHUNKS_PER_PACKAGE * len(ddp.PACKAGES)


def test_a_chunk_to_learn_from_is_shifted_by_torch_s_random_numbers(
    chunks: tuple[ddp.Chunks, ddp.Chunks],
) -> None:
    training, validation = chunks

    def read(part: ddp.Chunks, seed: int) -> bytes:
        torch.manual_seed(seed)
        return as_bytes(part[100 % len(part)][0])

    assert read(training, 1) == read(training, 1) != read(training, 2)
    assert read(validation, 1) == read(validation, 2)


def test_a_short_text_gives_whole_chunks_too() -> None:
    short = ddp.Chunks([torch.arange(ddp.CHUNK) % 256], per_package=3, shift=True)
    assert all(len(short[index][0]) == ddp.CHUNK for index in range(len(short)))


def test_the_net_has_state_that_no_optimizer_touches() -> None:
    net = ddp.Net()
    before = {name: buffer.clone() for name, buffer in net.named_buffers()}
    net(torch.randint(256, (4, ddp.CHUNK)))
    changed = {
        name for name, buffer in net.named_buffers() if not torch.equal(buffer, before[name])
    }
    assert changed == set(before)
    assert any(name.endswith("running_var") for name in changed)


def test_the_loss_falls_on_real_text(chunks: tuple[ddp.Chunks, ddp.Chunks]) -> None:
    training, _ = chunks
    torch.manual_seed(0)
    net = ddp.Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    losses = []
    for step in range(40):
        samples = [training[(32 * step + place) * 101 % len(training)] for place in range(32)]
        inputs, labels = default_collate(samples)
        loss = functional.cross_entropy(net(inputs), labels)
        torch.autograd.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert sum(losses[-5:]) < sum(losses[:5]) - 5 * 0.2


@pytest.mark.usefixtures("_one_rank")
def test_validation_covers_every_held_out_chunk(chunks: tuple[ddp.Chunks, ddp.Chunks]) -> None:
    _, validation = chunks
    net = ddp.Net()
    loss = ddp.validate(net, validation, device=torch.device("cpu"))
    assert net.training
    inputs, labels = default_collate([validation[index] for index in range(len(validation))])
    expected = functional.cross_entropy(net.eval()(inputs), labels)
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)


@pytest.mark.usefixtures("_alone")
def test_it_runs_by_plain_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["ddp.py", *SMALL])
    ddp.main()
    printed = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in printed] == ["step 0", "step 2"]


@pytest.mark.slow_processes
@pytest.mark.timeout(180)
def test_it_runs_by_torchrun_with_data_workers(torchrun: RunScript) -> None:
    printed = torchrun(SCRIPT, *SMALL, "--workers=1")
    assert [line.split(":")[0] for line in printed.splitlines()] == ["step 0", "step 2"]
