"""docker-compose.yml as values, with its variables filled in; its commands as they run here."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any, Final

import yaml

from dev.stack.valkey import valkey_command

ROOT: Final = Path(__file__).parents[2]
FILE: Final = ROOT / "docker-compose.yml"
VARIABLE: Final = re.compile(r"\$\{(?P<name>[A-Z0-9_]+)(?::(?P<mark>[-?])(?P<rest>[^}]*))?\}")


def compose(values: dict[str, str]) -> dict[str, Any]:
    """Return the file with its variables filled in; LookupError for one that has to be given."""

    def fill(match: re.Match[str]) -> str:
        name, mark, rest = match["name"], match["mark"], match["rest"]
        if values.get(name):
            return values[name]
        if mark == "-":
            return str(rest)
        raise LookupError(f"{name} is missing: {rest}")

    def filled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: filled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [filled(each) for each in value]
        return VARIABLE.sub(fill, value) if isinstance(value, str) else value

    found: dict[str, Any] = filled(yaml.safe_load(FILE.read_text()))
    return found


def plain(command: list[str], replaced: dict[str, str]) -> list[str]:
    """Return a command as it runs here: programs of this environment, other places and ports."""
    program, *arguments = command
    if program == "valkey-server":
        return [valkey_command(port=1, folder=Path())[0], *arguments]
    here = sys.executable if program == "python" else str(Path(sys.executable).with_name(program))
    words = [here, *arguments]
    for old, new in replaced.items():
        words = [word.replace(old, new) for word in words]
    return words
