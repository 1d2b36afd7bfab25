"""What waits while a rank is taken over, and for how long at most."""

import threading
import time
from collections.abc import Callable

from hotswap.runtime.mirror.standstill import Standstill

#: Far more than any machine needs for what is waited for here, s.
LONG_S = 60.0


def in_thread(call: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread


def test_nobody_waits_before_one_begins() -> None:
    began_s = time.monotonic()
    Standstill(limit_s=LONG_S).wait_over()
    assert time.monotonic() - began_s < LONG_S / 2


def test_whoever_waits_goes_on_at_its_end() -> None:
    standstill = Standstill(limit_s=LONG_S)
    standstill.begin()
    waiting = in_thread(standstill.wait_over)
    waiting.join(0.05)
    assert waiting.is_alive()
    standstill.end()
    waiting.join(LONG_S / 2)
    assert not waiting.is_alive()


def test_it_ends_by_itself_after_its_limit() -> None:
    standstill = Standstill(limit_s=0.05)
    began_s = time.monotonic()
    standstill.begin()
    standstill.wait_over()
    assert time.monotonic() - began_s >= 0.05
