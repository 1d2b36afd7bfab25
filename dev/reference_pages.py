"""Writes the pages of docs/reference that are made from the code.

`make docs` writes them; a test fails when they are not what the code says.
"""

import re
import textwrap
from dataclasses import fields
from pathlib import Path

import hotswap.errors
import hotswap.limits
from hotswap.limits import ORDERS, PREFIX, Limits
from hotswap.node.agent import limits as agent_limits

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"

SETTINGS = """\
# Settings

Every wait and every size has a name and a default. To change one, set its environment variable for
`hotswap run`; every process of the job inherits it. `hotswap` refuses values that are not numbers,
names that are nearly right, and [orders](#orders) that cannot work, before anything starts.

_This page is made from `agents/hotswap/limits.py` by `make docs`._

| variable | default | unit | what it limits |
| --- | ---: | --- | --- |
{limits}

## Orders

| has to be below | | otherwise |
| --- | --- | --- |
{orders}
"""

AGENT_SETTINGS = """\
# Settings of the agent

`hotswap agent` goes by the limits below, each set by its environment variable; a value that is no
number, or a name that is none of these, is refused before anything starts. What it starts inherits
its environment, so that the [settings](settings.md) of jobs are set for it likewise.

| variable | what it is |
| --- | --- |
| `HOTSWAP_HOME` | where jobs live: `HOTSWAP_HOME/jobs`; default `~/.hotswap` |
| `HOTSWAP_ENROL_TOKEN` | the one-time token, in place of `--token` |
| `HOTSWAP_REDIS_URL` | `redis://HOST:PORT/NUMBER`: the coordinators agree there who leads |

_The table below is made from `agents/hotswap/node/agent/limits.py` by `make docs`._

| variable | default | unit | what it limits |
| --- | ---: | --- | --- |
{limits}
"""

ERRORS = """\
# Errors

Every error that `hotswap` raises on purpose is a `hotswap.errors.HotswapError`. There is one class
for each decision that a caller can take; the tree says which. The message says what to do next,
data is in attributes, and `code` is stable: programs compare it, never the text.

_This page is made from `agents/hotswap/errors/` by `make docs`._

```text
{tree}
```

| error | code | what has happened |
| --- | --- | --- |
{errors}
"""


SCALES = ("B", "KiB", "MiB", "GiB")
DAY_S = 86_400
COUNTED = ("exits", "lines", "segments", "steps", "tensors")


def comments_of_fields(source: str) -> dict[str, str]:
    """Return the comment above each annotated field of a class, as one line."""
    found: dict[str, str] = {}
    comment: list[str] = []
    for line in source.splitlines():
        if match := re.match(r"    # (.*)", line):
            comment.append(match[1])
            continue
        if match := re.match(r"    (\w+): \w+ = ", line):
            found[match[1]] = " ".join(comment)
        comment = []
    return found


def unit_of(name: str, value: float) -> str:
    """Return a limit's unit, with big values in words that a person can compare."""
    if "_nbytes" in name:
        size, scale = int(value), 0
        while size % 1024 == 0 and scale < len(SCALES) - 1:
            size, scale = size // 1024, scale + 1
        return f"bytes ({size} {SCALES[scale]})"
    if name.endswith("_s"):
        return "s" if value < DAY_S else f"s ({value / DAY_S:g} days)"
    last = name.removesuffix("_max").rsplit("_", 1)[-1]
    return last if last in COUNTED else ""


def settings_page() -> str:
    """Return docs/reference/settings.md."""
    comments = comments_of_fields(Path(hotswap.limits.__file__).read_text())

    def row(name: str, value: float) -> str:
        plain = f"{value:.15g}"
        return f"| `{PREFIX}{name.upper()}` | {plain} | {unit_of(name, value)} | {comments[name]} |"

    rows = (row(field.name, getattr(Limits(), field.name)) for field in fields(Limits))
    orders = (f"| `{order.lower}` | `{order.upper}` | {order.why} |" for order in ORDERS)
    return SETTINGS.format(limits="\n".join(rows), orders="\n".join(orders))


def agent_settings_page() -> str:
    """Return docs/reference/agent-settings.md."""
    comments = comments_of_fields(Path(agent_limits.__file__).read_text())
    limits = agent_limits.AgentLimits()

    def row(name: str, value: float) -> str:
        variable = f"{agent_limits.PREFIX}{name.upper()}"
        return f"| `{variable}` | {value:.15g} | {unit_of(name, value)} | {comments[name]} |"

    rows = (row(field.name, getattr(limits, field.name)) for field in fields(limits))
    return AGENT_SETTINGS.format(limits="\n".join(rows))


def errors_page() -> str:
    """Return docs/reference/errors.md."""
    drawing = (hotswap.errors.__doc__ or "").split("::\n\n", 1)[1]
    tree = textwrap.dedent(drawing[: drawing.index("\n\n")])
    names = re.findall(r"── (\w+)", tree)
    rows = []
    for name in ["HotswapError", *names]:
        error = getattr(hotswap.errors, name)
        rows.append(f"| `{name}` | `{error.code}` | {error.__doc__.replace('``', '`')} |")
    return ERRORS.format(tree=tree, errors="\n".join(rows))


PAGES = {
    "agent-settings.md": agent_settings_page,
    "errors.md": errors_page,
    "settings.md": settings_page,
}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page())


if __name__ == "__main__":
    main()
