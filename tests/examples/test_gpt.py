"""Tests of examples/gpt.py."""

import argparse
import itertools
import math
from pathlib import Path

import gpt
import pytest
import torch
from corpus import Windows, read_corpus
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import default_collate

from tests.examples.conftest import RunScript
from tests.examples.protection import marked_lines, protecting_lines

SCRIPT = Path(gpt.__file__)
SMALL = ("--steps=3", "--layers=1", "--width=32", "--heads=2", "--context=16", "--validate-every=2")


def small() -> gpt.GPT:
    torch.manual_seed(0)
    return gpt.GPT(layers=2, width=32, heads=2, context=32)


@pytest.fixture
def defaults(monkeypatch: pytest.MonkeyPatch) -> argparse.Namespace:
    """Return the options of a call without any."""
    monkeypatch.setattr("sys.argv", ["gpt.py"])
    return gpt.parse_options()


def test_six_lines_protect_it_and_they_are_marked() -> None:
    assert len(marked_lines(SCRIPT)) == 6
    assert protecting_lines(SCRIPT) == marked_lines(SCRIPT)


def test_it_can_be_read_in_a_minute() -> None:
    assert len(SCRIPT.read_text().splitlines()) < 200


def test_it_has_about_three_million_parameters(defaults: argparse.Namespace) -> None:
    model = gpt.GPT(
        layers=defaults.layers,
        width=defaults.width,
        heads=defaults.heads,
        context=defaults.context,
    )
    assert 2.5e6 < sum(parameter.numel() for parameter in model.parameters()) < 3.5e6


def test_an_untrained_model_knows_nothing() -> None:
    text = torch.randint(256, (4, 33))
    loss = small().eval()(text[:, :-1], text[:, 1:])
    assert loss.item() == pytest.approx(math.log(256), abs=0.2)


def test_a_position_sees_none_that_come_after_it() -> None:
    torch.manual_seed(0)
    block = gpt.Block(width=16, heads=2).eval()
    before = torch.randn(1, 8, 16)
    changed = before.clone()
    changed[:, 5:] = 0
    same = (block(before) == block(changed)).all(dim=2)
    assert same[0].tolist() == [True] * 5 + [False] * 3


def test_dropout_is_drawn_in_training_and_not_in_validation() -> None:
    model, text = small(), torch.randint(256, (4, 33))
    losses = {model(text[:, :-1], text[:, 1:]).item() for _ in range(3)}
    assert len(losses) == 3
    model.eval()
    assert len({model(text[:, :-1], text[:, 1:]).item() for _ in range(3)}) == 1


def test_the_loss_falls_on_real_text() -> None:
    model, windows = small(), Windows(read_corpus().training, 32)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for step in range(30):
        samples = [windows[(8 * step + place) * 101 % len(windows)] for place in range(8)]
        loss = model(*default_collate(samples))
        loss.backward()
        clip_grad_norm_(model.parameters(), gpt.GRADIENT_NORM_MAX)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert sum(losses[-5:]) / 5 < losses[0] - 1.5


def test_the_learning_rate_rises_to_its_highest_and_falls_to_a_tenth_of_it() -> None:
    factors = [gpt.learning_rate_factor(step, steps=100) for step in range(101)]
    top = gpt.WARM_UP_STEPS
    assert max(factors) == factors[top] == 1.0
    assert all(before < after for before, after in itertools.pairwise(factors[:top]))
    assert all(before > after for before, after in itertools.pairwise(factors[top:]))
    assert factors[-1] == pytest.approx(0.1)


@pytest.mark.parametrize("steps", [1, gpt.WARM_UP_STEPS])
def test_a_run_that_ends_while_warming_up_has_a_learning_rate_too(steps: int) -> None:
    assert all(0 < gpt.learning_rate_factor(step, steps=steps) <= 1 for step in range(steps + 1))


@pytest.mark.usefixtures("_one_rank")
def test_validation_is_the_same_every_time_and_leaves_the_model_in_training() -> None:
    model, windows = small(), Windows(read_corpus().validation, 32)
    device = torch.device("cpu")
    losses = {gpt.validate(model, windows, device=device).item() for _ in range(3)}
    assert len(losses) == 1
    assert model.training


@pytest.mark.usefixtures("_alone")
def test_it_runs_by_plain_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["gpt.py", *SMALL])
    gpt.main()
    printed = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in printed] == ["step 0", "step 2"]
    assert "loss 5.5" in printed[0]


@pytest.mark.slow_processes
@pytest.mark.timeout(180)
def test_it_runs_by_torchrun(torchrun: RunScript) -> None:
    printed = torchrun(SCRIPT, *SMALL, "--replicas=2", "--micro-batches=2")
    assert [line.split(":")[0] for line in printed.splitlines()] == ["step 0", "step 2"]
