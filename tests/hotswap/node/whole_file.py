"""Files that processes of a test tell each other things by."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Replace a file, so that nobody reads a part of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text)
    temporary.replace(path)
