"""Lines that people read: the living line of a job, and one line for each thing that happens. Pure.

What nobody measured reads "unknown", never 0.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hotswap.node.view import JobView
from hotswap.wire.messages import Notice

UNKNOWN = "unknown"
SIGNIFICANT_DIGITS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """How a kind of notice reads."""

    # with the fields of the notice, and ``at`` for "at step N"
    template: str
    # measures that are shown even when nobody measured them
    measures: tuple[str, ...] = ()


#: Kinds that the living line shows are not here.
SENTENCES: Mapping[str, Sentence] = {
    "epoch_started": Sentence(template="epoch {epoch} begins{at}"),
    "epoch_dead": Sentence(template="epoch {epoch} is dead"),
    "member_joined": Sentence(template="{member} joined"),
    "member_lost": Sentence(template="{member} is lost"),
    "mirror_complete": Sentence(template="rank {rank} is protected by {member}"),
    "protection_lost": Sentence(template="rank {rank} is not protected any more"),
    "swap_completed": Sentence(
        template="rank {rank} changed hands to {member}{at}", measures=("pause_ms", "steps_lost")
    ),
    "swap_aborted": Sentence(template="the swap of rank {rank} was given up, the job is untouched"),
    "unplanned_completed": Sentence(
        template="rank {rank} was taken over by {member}{at}",
        measures=("stall_ms", "steps_lost"),
    ),
    "corruption": Sentence(template="silent corruption of rank {rank}{at}, not swapped in"),
    "restored": Sentence(template="resumed from a checkpoint{at}", measures=("steps_lost",)),
    "refused": Sentence(template="{member} was refused"),
    # the first leader is elected without anybody having waited for it
    "elected": Sentence(template="{member} leads"),
    "finished": Sentence(template="the job has finished"),
    "failed": Sentence(template="the job has failed"),
}
_SHOWN_BY_LIVING_LINE = frozenset({"committed", "swap_phase"})


def living_line(view: JobView) -> str:
    """Render the job in one line."""
    step_s = UNKNOWN if view.step_s is None else f"{significant(view.step_s)} s"
    parts = [
        f"step {_or_unknown(view.committed)}",
        f"loss {UNKNOWN if view.loss is None else f'{view.loss:.4f}'}",
        *(f"{_words(name)} {significant(value)}" for name, value in view.reported.items()),
        f"step time {step_s}",
        _protection(view),
        f"epoch {_or_unknown(view.epoch)}",
        f"leader {_or_unknown(view.leader)}",
    ]
    if view.swap is not None:
        parts.append(view.swap)
    return " · ".join(parts)


def fit(line: str, columns: int) -> str:
    """Cut a line to the width of the terminal, visibly."""
    return line if len(line) <= columns else line[: max(0, columns - 1)] + "…"


def event_line(notice: Notice) -> str | None:
    """Render what happened; None for what the living line shows."""
    if notice.kind in _SHOWN_BY_LIVING_LINE:
        return None
    sentence = SENTENCES.get(notice.kind, Sentence(template=notice.kind.replace("_", " ")))
    line = sentence.template.format(
        epoch=notice.epoch,
        rank=_or_unknown(notice.rank),
        member=_or_unknown(notice.member),
        at="" if notice.step is None else f" at step {notice.step}",
    )
    parts = [notice.text] if notice.text else []
    if sentence.measures or notice.values:
        parts.append(measures(notice.values, sentence.measures))
    return f"{line}: {'; '.join(parts)}" if parts else line


def measures(values: Mapping[str, float], always: Iterable[str] = ()) -> str:
    """Render measured values, unit beside each; those of ``always`` even when unknown."""
    names = [*always, *sorted(set(values) - set(always))]
    return ", ".join(measure(name, values.get(name)) for name in names)


def measure(name: str, value: float | None) -> str:
    """Render one value by the unit at the end of its name.

    >>> measure("pause_ms", 12.34)
    'pause 12.3 ms'
    >>> measure("steps_lost", 0.0)
    'steps lost 0'
    """
    stem, _, unit = name.rpartition("_")
    if unit in {"ms", "s"} and stem:
        suffix = f" {unit}"
    elif unit in {"bytes", "nbytes"} and stem:
        suffix = " bytes"
    else:
        stem, suffix = name, ""
    text = UNKNOWN if value is None else f"{significant(value)}{suffix}"
    return f"{_words(stem)} {text}"


def significant(value: float) -> str:
    """Render a number with three significant digits and no exponent."""
    if not math.isfinite(value):
        return str(value)
    if value == int(value):
        return f"{value:.0f}"
    digits_before = len(str(abs(int(value)))) if abs(value) >= 1 else 0
    return f"{value:.{max(0, SIGNIFICANT_DIGITS - digits_before)}f}"


def _protection(view: JobView) -> str:
    """Say how many ranks have a mirror, and how far the mirrors are behind."""
    if view.protected is None:
        return f"protected {UNKNOWN} of {view.world_size}"
    text = f"protected {view.protected} of {view.world_size}"
    if view.protected == 0:
        return text
    if view.lag_steps is None:
        return f"{text}, lag {UNKNOWN}"
    least, most = view.lag_steps
    return f"{text}, lag {most}" if least == most else f"{text}, lag {least} to {most}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _or_unknown(value: object | None) -> str:
    return UNKNOWN if value is None else str(value)
