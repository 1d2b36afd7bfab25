"""Garbage collection at the start of a script.

What is imported is never garbage, but a full collection looks at all of it, for a tenth of a second
once torch is there: several times while a process starts, and whenever the script starts over. A
script that has set its own thresholds, or switched the collector off, keeps what it has set.
"""

import gc
from typing import Final

#: Collections of the middle generation before a full one: none will come.
_NEVER: Final = 1 << 30
#: As the interpreter has begun.
_BEGUN_WITH: Final = gc.get_threshold()


def put_off() -> None:
    """Have no full collection until the script joins the job."""
    young, middle, _ = _BEGUN_WITH
    gc.set_threshold(young, middle, _NEVER)


def keep_all() -> None:
    """Look no more at what is there now, and collect as usual from now on."""
    gc.freeze()
    young, middle, _ = _BEGUN_WITH
    if gc.get_threshold() == (young, middle, _NEVER):
        gc.set_threshold(*_BEGUN_WITH)


def free_former() -> None:
    """Free what a script has built that will run again: models refer to themselves."""
    gc.collect()
