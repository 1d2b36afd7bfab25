"""Tests of examples/corpus.py."""

from pathlib import Path

import pytest
import torch
from corpus import Windows, read_corpus, read_package, source_files
from torch import Tensor


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Return a library of twelve files: a.py to l.py, and others that are no part of it."""
    names = [f"{letter}.py" for letter in "lkjihgfedcb"] + ["a/a.py"]
    skipped = ["test/t.py", "a/tests/t.py", "site-packages/s.py", "encodings/e.py"]
    for name in [*names, *skipped, "_sysconfigdata_x.py", "notes.txt", "a/__pycache__/a.py"]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{path.stem * 3}\n")
    return tmp_path


def text_of(tensor: Tensor) -> str:
    return bytes(tensor.tolist()).decode()


def test_files_come_in_the_order_of_their_names_wherever_they_stand(library: Path) -> None:
    names = [path.stem for path in source_files(library=library)]
    assert names == list("abcdefghijkl")


def test_every_tenth_file_is_held_out(library: Path) -> None:
    corpus = read_corpus(library=library)
    assert text_of(corpus.validation) == "jjj\n"
    assert text_of(corpus.training) == "".join(f"{letter * 3}\n" for letter in "abcdefghikl")


def test_the_corpus_ends_before_the_file_that_would_not_fit(library: Path) -> None:
    (library / "k.py").write_text("k" * 1_000_000)
    assert text_of(read_corpus(library=library, megabytes_max=1).training).endswith("iii\n")


def test_a_python_without_source_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="use another one"):
        read_corpus(library=tmp_path)
    with pytest.raises(FileNotFoundError, match="no_such_package"):
        read_package("no_such_package")


def test_this_python_has_enough_to_learn_from() -> None:
    corpus = read_corpus()
    assert corpus.training.dtype == torch.uint8
    assert len(corpus.training) > 2_000_000
    assert len(corpus.validation) > 200_000
    assert torch.equal(read_corpus().training, corpus.training)


def test_a_package_is_one_text() -> None:
    assert "class JSONDecoder" in text_of(read_package("json"))


def test_windows_cover_the_text_and_do_not_overlap() -> None:
    windows = Windows(torch.arange(100, dtype=torch.uint8), context=7)
    inputs = torch.cat([windows[index][0] for index in range(len(windows))])
    assert len(windows) == 14
    assert inputs.tolist() == list(range(98))


def test_a_target_is_the_byte_after_its_input() -> None:
    windows = Windows(torch.arange(100, dtype=torch.uint8), context=7)
    for index in range(len(windows)):
        inputs, targets = windows[index]
        assert torch.equal(targets, inputs + 1)
        assert inputs.dtype == targets.dtype == torch.int64
