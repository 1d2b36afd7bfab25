"""Text that every Python installation has: the source files of the standard library, as bytes."""

import os
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch
from torch import Tensor
from torch.utils.data import Dataset

#: Files are taken in order until the next one would not fit. Today's library is 10 MB.
CORPUS_MEGABYTES_MAX: Final = 16

#: Every tenth file is held out for validation.
HELD_OUT_EVERY: Final = 10

#: Tests of the library, packages that somebody installed, and folders that are tables, not text.
SKIPPED_FOLDERS: Final = frozenset(
    {"__pycache__", "dist-packages", "encodings", "idle_test", "pydoc_data", "site-packages"}
    | {"test", "tests"}
)

#: Files that differ between two installations of the same library.
SKIPPED_PREFIXES: Final = ("_sysconfigdata", "sitecustomize", "usercustomize")


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """All text, one byte per element."""

    # what the model learns from: uint8, shape [bytes]
    training: Tensor
    # from other files, the same kind
    validation: Tensor


class Windows(Dataset[tuple[Tensor, Tensor]]):
    """Pieces of a text that do not overlap: (input, target), the target one byte further on.

    Args:
        text: uint8, shape [bytes].
        context: bytes in an input.

    """

    def __init__(self, text: Tensor, context: int) -> None:
        self._text = text
        self._context = context

    def __len__(self) -> int:
        """Count the windows."""
        return (len(self._text) - 1) // self._context

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        """Give one window: two int64 tensors, [context]."""
        start = index * self._context
        window = self._text[start : start + self._context + 1].long()
        return window[:-1], window[1:]


def read_corpus(
    *, library: Path | None = None, megabytes_max: int = CORPUS_MEGABYTES_MAX
) -> Corpus:
    """Read the standard library; the same files give the same bytes in the same order anywhere.

    Raises:
        FileNotFoundError: there are not enough source files, as in an installation from a zip.

    """
    parts: tuple[bytearray, bytearray] = (bytearray(), bytearray())
    nbytes = 0
    for number, path in enumerate(source_files(library=library)):
        text = path.read_bytes()
        nbytes += len(text)
        if nbytes > megabytes_max * 1_000_000:
            break
        parts[number % HELD_OUT_EVERY == HELD_OUT_EVERY - 1].extend(text)
    if not all(parts):
        raise FileNotFoundError("this Python has no standard library in source: use another one")
    training, validation = (torch.frombuffer(part, dtype=torch.uint8) for part in parts)
    return Corpus(training=training, validation=validation)


def read_package(name: str) -> Tensor:
    """Read one package of the standard library: uint8, shape [bytes].

    Raises:
        FileNotFoundError: this Python has no such package in source.

    """
    text = bytearray()
    for path in source_files(library=standard_library() / name):
        text.extend(path.read_bytes())
    if not text:
        raise FileNotFoundError(f"this Python has no package {name!r} in source: use another one")
    return torch.frombuffer(text, dtype=torch.uint8)


def standard_library() -> Path:
    """Give the folder of the standard library."""
    return Path(sysconfig.get_path("stdlib"))


def source_files(*, library: Path | None = None) -> Iterator[Path]:
    """Yield the source files in a folder of the library, in an order that is the same anywhere."""
    library = library or standard_library()
    found = {}
    for folder, subfolders, files in os.walk(library):
        subfolders[:] = [name for name in subfolders if name not in SKIPPED_FOLDERS]
        for name in files:
            if name.endswith(".py") and not name.startswith(SKIPPED_PREFIXES):
                path = Path(folder, name)
                found[path.relative_to(library).as_posix()] = path
    for name in sorted(found):
        yield found[name]
