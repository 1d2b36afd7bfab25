import os
import signal
import subprocess
import sys
from pathlib import Path

from dev.stack.leftovers import end_leftovers

SLEEP = (sys.executable, "-c", "import time; time.sleep(60)")


def test_what_carries_the_mark_ends_and_nothing_else(tmp_path: Path) -> None:
    ours = {**os.environ, "HOTSWAP_HOME": str(tmp_path)}
    others = {**os.environ, "HOTSWAP_HOME": f"{tmp_path}-other"}
    with (
        subprocess.Popen(SLEEP, env=ours) as marked,
        subprocess.Popen(SLEEP, env=others) as unmarked,
    ):
        assert end_leftovers("HOTSWAP_HOME", str(tmp_path)) == [marked.pid]
        assert marked.wait(10) == -signal.SIGKILL
        assert unmarked.poll() is None
        unmarked.kill()
